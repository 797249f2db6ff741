package dev.regroup.bench;

import dev.regroup.api.Wire;
import dev.regroup.bench.outside.OutsideClients;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How hollow agents reach the server: a few connections of the administrator for all, or as agents
 * in pods do, each with a connection of its own, made anew whenever it begins anew, and with the
 * token of its pod.
 */
final class AgentRoads {

  /** The two ways. */
  enum Kind {
    SHARED,
    OF_THEIR_OWN
  }

  private static final int AGENTS_OF_ONE_CONNECTION = 400; // a watch and a write each
  private static final String JSON = "application/json";
  private static final String ROLES = "/apis/rbac.authorization.k8s.io/v1";
  private static final String TOKEN = "/api/v1/namespaces/default/serviceaccounts/default/token";

  private final OutsideServer server;
  private final List<Transport> shared;
  private final Map<String, String> tokens;

  /** A road for as long as an agent lives; closing it leaves a shared one open. */
  record Road(Transport transport, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  private AgentRoads(OutsideServer server, List<Transport> shared, Map<String, String> tokens) {
    this.server = server;
    this.shared = shared;
    this.tokens = tokens;
  }

  static AgentRoads open(Kind kind, OutsideServer server, Transport admin, List<String> pods)
      throws IOException, InterruptedException {
    return switch (kind) {
      case SHARED ->
          new AgentRoads(
              server,
              server.clients().connect(Math.ceilDiv(pods.size(), AGENTS_OF_ONE_CONNECTION)),
              Map.of());
      case OF_THEIR_OWN -> new AgentRoads(server, List.of(), tokens(admin, pods));
    };
  }

  /**
   * @param number of the agent
   */
  Road enter(int number, String pod) {
    var token = tokens.get(pod);
    if (token == null) {
      return new Road(shared.get(number % shared.size()), () -> {});
    }
    HttpsTransport own = server.clients().connect(token);
    return new Road(own, own::close);
  }

  private static Map<String, String> tokens(Transport admin, List<String> pods)
      throws IOException, InterruptedException {
    OutsideClients.send(
        admin,
        "POST",
        ROLES + "/clusterroles",
        JSON,
        """
        {"metadata":{"name":"hollow"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":
        ["patch"]},{"apiGroups":["jobset.x-k8s.io"],"resources":["jobsets"],"verbs":["get","list",
        "watch"]}]}
        """);
    OutsideClients.send(
        admin,
        "POST",
        ROLES + "/namespaces/default/rolebindings",
        JSON,
        """
        {"metadata":{"name":"hollow"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":
        "ClusterRole","name":"hollow"},"subjects":[{"kind":"ServiceAccount","name":"default",
        "namespace":"default"}]}
        """);
    var tokens = new HashMap<String, String>();
    for (var pod : pods) {
      var answer =
          OutsideClients.send(
              admin,
              "POST",
              TOKEN,
              JSON,
              """
              {"spec":{"expirationSeconds":7200,"boundObjectRef":{"apiVersion":"v1","kind":"Pod",
              "name":"%s"}}}
              """
                  .formatted(pod));
      tokens.put(pod, Wire.tree(answer.body()).path("status").path("token").asText());
    }
    return tokens;
  }
}
