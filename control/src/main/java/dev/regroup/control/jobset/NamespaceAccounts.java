package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.queue.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the agents' account and the binding of its role in each namespace where a JobSet needs them
 * (JS-149c). What is there stays as it is; accounts of users are theirs. Needs rights beyond those
 * of a JobSet controller: create and get both, and bind that one role. Any thread.
 */
public final class NamespaceAccounts implements AgentAccounts {

  /** The role of agents; it comes with the installation. */
  public static final String ROLE = "regroup-in-place-restart-agent";

  /** So long nobody looks again; somebody may have deleted it. */
  private static final Duration KNOWN = Duration.ofMinutes(1);

  private final ApiClient client;
  private final Ticker ticker;
  private final Map<String, Long> known = new ConcurrentHashMap<>(); // namespace to when

  public NamespaceAccounts(Transport transport, Ticker ticker) {
    this.client = new ApiClient(transport);
    this.ticker = ticker;
  }

  @Override
  public void ensure(String namespace, String account)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (!account.equals(AgentInjection.SERVICE_ACCOUNT)) {
      return; // admission told its owner which role it needs
    }
    var seen = known.get(namespace);
    if (seen != null && ticker.nanos() - seen < KNOWN.toNanos()) {
      return;
    }
    make(Kinds.SERVICE_ACCOUNTS, account(namespace));
    make(Kinds.ROLE_BINDINGS, binding(namespace, account));
    known.put(namespace, ticker.nanos());
  }

  /** Makes an object unless one of its name is there. */
  public void make(Resource<ObjectNode> resource, ObjectNode wanted)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var metadata = wanted.path("metadata");
    var key = new ObjectKey(metadata.path("namespace").asText(), metadata.path("name").asText());
    if (client.get(resource, key).isPresent()) {
      return;
    }
    try {
      client.create(resource, key.namespace(), wanted);
    } catch (ApiFailure failure) {
      if (!failure.alreadyExists()) {
        throw failure;
      }
    }
  }

  public static ObjectNode account(String namespace) {
    var account = Wire.object().put("apiVersion", "v1").put("kind", "ServiceAccount");
    name(account, namespace, AgentInjection.SERVICE_ACCOUNT);
    return account;
  }

  /** Gives an account of the namespace the role of agents (JS-132h). */
  public static ObjectNode binding(String namespace, String account) {
    var binding =
        Wire.object().put("apiVersion", "rbac.authorization.k8s.io/v1").put("kind", "RoleBinding");
    boolean own = account.equals(AgentInjection.SERVICE_ACCOUNT);
    name(binding, namespace, own ? account : account + "-agent"); // people name theirs alike
    binding
        .putObject("roleRef")
        .put("apiGroup", "rbac.authorization.k8s.io")
        .put("kind", "ClusterRole")
        .put("name", ROLE);
    binding
        .putArray("subjects")
        .addObject()
        .put("kind", "ServiceAccount")
        .put("name", account)
        .put("namespace", namespace);
    return binding;
  }

  private static void name(ObjectNode object, String namespace, String name) {
    object
        .putObject("metadata")
        .put("name", name)
        .put("namespace", namespace)
        .putObject("labels")
        .put("app.kubernetes.io/part-of", "regroup");
  }
}
