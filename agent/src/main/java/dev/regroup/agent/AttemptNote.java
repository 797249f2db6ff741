package dev.regroup.agent;

import dev.regroup.agent.AgentConfig.Naming;
import dev.regroup.agent.ApiLink.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the attempt to the own pod: one annotation, as a merge patch (JS-153a). A policy that
 * knows only the other name of it is met once with that name. A name that was taken once stays, and
 * a missing right says nothing about names: a pod with two different attempts has none (JS-152).
 * Used by one thread.
 */
final class AttemptNote {

  private static final String RELEASED_KEY = "jobset.sigs.k8s.io/in-place-restart-attempt";
  private static final String DRAFT_KEY = "jobset.sigs.k8s.io/epoch";
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int INVALID = 422;

  /** How a server without the role in its hands refuses; one that just started has none yet. */
  private static final String NO_RIGHT = " cannot patch resource ";

  private final ApiConnector connector;
  private final String target;
  private Naming naming;
  private boolean taken;
  private @Nullable ApiLink own;

  AttemptNote(ApiConnector connector, AgentConfig.Place place, Naming naming) {
    this.connector = connector;
    this.naming = naming;
    this.target =
        "/api/v1/namespaces/"
            + place.namespace()
            + "/pods/"
            + place.pod()
            + "?fieldManager=in-place-restart-agent";
  }

  /**
   * Writes it; fails with what the server said.
   *
   * @param lent a connection that is free, or null: then one of its own, which is kept
   */
  void write(int attempt, @Nullable ApiLink lent) throws IOException {
    Answer answer = patch(attempt, naming, lent);
    if (!taken && answer.blamesTheName()) {
      Naming other = naming == Naming.RELEASED ? Naming.DRAFT : Naming.RELEASED;
      AgentLog.say("attempt refused, trying " + key(other) + ": " + answer.message());
      answer = patch(attempt, other, lent);
      if (answer.status() == OK) {
        naming = other;
      }
    }
    if (answer.status() != OK) {
      throw new IOException("attempt refused: " + answer.message());
    }
    taken = true;
  }

  private record Answer(int status, String message) {

    boolean blamesTheName() {
      return status == INVALID || (status == FORBIDDEN && !message.contains(NO_RIGHT));
    }
  }

  private Answer patch(int attempt, Naming names, @Nullable ApiLink lent) throws IOException {
    int value = names == Naming.RELEASED ? attempt : attempt + 1; // JS-150
    String body = "{\"metadata\":{\"annotations\":{\"" + key(names) + "\":\"" + value + "\"}}}";
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (lent != null && lent.reusable()) {
      return send(lent, bytes);
    }
    if (own != null && own.reusable()) {
      try {
        return send(own, bytes);
      } catch (IOException _) {
        own.close(); // idle for long, the server may have closed it: once more on a new one
      }
    }
    own = connector.open();
    return send(own, bytes);
  }

  private Answer send(ApiLink link, byte[] body) throws IOException {
    Reply reply = link.mergePatch(target, connector.token(), body);
    byte[] answer = reply.body().readAllBytes();
    String message =
        reply.status() == OK ? "" : ApiStatus.message(reply.status(), answer, answer.length);
    return new Answer(reply.status(), message);
  }

  private static String key(Naming names) {
    return names == Naming.RELEASED ? RELEASED_KEY : DRAFT_KEY;
  }
}
