package dev.regroup.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Times;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.body.Call;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestQuery;
import dev.regroup.server.wire.Status;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What the node of a pod is asked for and gives in one direction: its logs. */
final class PodStreams {
  private static final GroupVersionKind LOG_OPTIONS =
      new GroupVersionKind("", "v1", "PodLogOptions");
  private static final Headers PLAIN_TEXT = Headers.of("content-type", "text/plain");

  private final ObjectStore objects;
  private final InstantSource clock;
  private final AtomicReference<@Nullable NodeAccess> nodes = new AtomicReference<>();

  PodStreams(ObjectStore objects, InstantSource clock) {
    this.objects = objects;
    this.clock = clock;
  }

  void connect(NodeAccess access) {
    nodes.set(access);
  }

  Answer log(Call call, ResourceType pods) throws Refused, InterruptedException {
    var options = options(call.info().name(), call.query()); // looked at before the pod is
    var pod = pod(call, pods);
    var container = container(pod, call.query().text("container"));
    var node = pod.path("spec").path("nodeName").asText("");
    if (node.isEmpty()) {
      return new Answer.Whole(new Response(204, Headers.NONE, new byte[0]));
    }
    var access = access();
    var reference =
        new NodeAccess.ContainerRef(
            node,
            call.info().namespace(),
            call.info().name(),
            pod.path("metadata").path("uid").asText(),
            container);
    try {
      return new Answer.Streamed(
          new LogStream(access.logs(reference, options)), Answer.Framing.BYTES);
    } catch (NodeAccess.NodeFailure e) {
      throw failed(e.code(), String.valueOf(e.getMessage()));
    }
  }

  NodeAccess access() throws Refused {
    var access = nodes.get();
    if (access == null) {
      throw failed(502, "no node is connected to this server");
    }
    return access;
  }

  ObjectNode pod(Call call, ResourceType pods) throws Refused {
    var info = call.info();
    return ObjectStore.tree(objects.get(pods, info.namespace(), info.name()).value());
  }

  static Refused failed(int code, String message) {
    var reason =
        switch (code) {
          case 400 -> Status.Reason.BAD_REQUEST;
          case 404 -> Status.Reason.NOT_FOUND;
          case 500 -> Status.Reason.INTERNAL_ERROR;
          default -> Status.Reason.NONE;
        };
    return new Refused(new Status(code, reason, message, null));
  }

  /** The named container, or the only one. */
  static String container(ObjectNode pod, String asked) throws Refused {
    var spec = pod.path("spec");
    var name = pod.path("metadata").path("name").asText();
    var plain = names(spec, "containers");
    var init = names(spec, "initContainers");
    var ephemeral = names(spec, "ephemeralContainers");
    if (asked.isEmpty()) {
      if (plain.size() == 1) {
        return plain.getFirst();
      }
      var all = new ArrayList<>(init);
      all.addAll(plain);
      all.addAll(ephemeral);
      throw Refused.badRequest(
          "a container name must be specified for pod %s, choose one of: [%s]"
              .formatted(name, String.join(" ", all)));
    }
    if (!plain.contains(asked) && !init.contains(asked) && !ephemeral.contains(asked)) {
      throw Refused.badRequest("container " + asked + " is not valid for pod " + name);
    }
    return asked;
  }

  private static List<String> names(com.fasterxml.jackson.databind.JsonNode spec, String field) {
    var names = new ArrayList<String>();
    spec.path(field).forEach(container -> names.add(container.path("name").asText()));
    return names;
  }

  private NodeAccess.LogOptions options(String pod, RequestQuery query) throws Refused {
    var errors = new ArrayList<FieldError>();
    var tail = atLeast(query, "tailLines", 0, errors);
    var limit = atLeast(query, "limitBytes", 1, errors);
    var sinceSeconds = atLeast(query, "sinceSeconds", 1, errors);
    var sinceTime = query.text("sinceTime");
    if (sinceSeconds.isPresent() && !sinceTime.isEmpty()) {
      errors.add(
          FieldError.forbidden(
              FieldPath.ROOT.key(""), // prints as []
              "at most one of `sinceTime` or `sinceSeconds` may be specified"));
    }
    var output = query.text("stream");
    if (query.first("stream").isPresent() && !output.equals("All")) {
      errors.add(FieldError.forbidden(FieldPath.of("stream"), "may not be specified"));
    }
    if (!errors.isEmpty()) {
      throw new Refused(RefusalStatus.invalid(LOG_OPTIONS, pod, errors), List.of());
    }
    return new NodeAccess.LogOptions(
        query.flag("follow"),
        query.flag("previous"),
        query.flag("timestamps"),
        since(sinceSeconds, sinceTime),
        tail,
        limit,
        run(query));
  }

  private static OptionalInt run(RequestQuery query) throws Refused {
    var run = query.number("regroupRun");
    return run.isPresent() && run.getAsLong() >= 0 && run.getAsLong() <= Integer.MAX_VALUE
        ? OptionalInt.of((int) run.getAsLong())
        : OptionalInt.empty();
  }

  private @Nullable Instant since(OptionalLong seconds, String time) throws Refused {
    if (seconds.isPresent()) {
      return clock.instant().minusSeconds(seconds.getAsLong());
    }
    if (time.isEmpty()) {
      return null;
    }
    try {
      return Instant.parse(time);
    } catch (DateTimeParseException e) {
      throw Refused.badRequest(Times.complaint(time, "2006-01-02T15:04:05Z07:00"));
    }
  }

  private static OptionalLong atLeast(
      RequestQuery query, String field, long least, List<FieldError> errors) throws Refused {
    var value = query.number(field);
    if (value.isPresent() && value.getAsLong() < least) {
      errors.add(
          FieldError.invalid(
              FieldPath.of(field),
              value.getAsLong(),
              "must be greater than" + (least == 0 ? " or equal to 0" : " 0")));
    }
    return value;
  }

  /** A node's stream with the headers of an answer. */
  private record LogStream(Transport.Stream stream) implements Transport.Stream {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return PLAIN_TEXT;
    }

    @Override
    public byte @Nullable [] next() throws Transport.Unreachable, InterruptedException {
      return stream.next();
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
