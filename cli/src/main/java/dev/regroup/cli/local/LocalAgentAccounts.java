package dev.regroup.cli.local;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.cli.deploy.AgentRights;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.queue.Ticker;
import dev.regroup.control.jobset.AgentAccounts;
import dev.regroup.control.jobset.NamespaceAccounts;
import java.util.Map;

/**
 * Rights for agents in pods of Regroup's own cluster: nobody installs anything there, so role and
 * policy (JS-149d) are made when the first JobSet needs them, with the account and its binding in
 * that namespace. An account of a user's own gets the role, too (JS-132h). What is there stays as
 * it is.
 */
final class LocalAgentAccounts implements AgentAccounts {

  private static final Map<String, Resource<ObjectNode>> KINDS =
      Map.of(
          "ClusterRole", Kinds.CLUSTER_ROLES,
          "ValidatingAdmissionPolicy", Kinds.POLICIES,
          "ValidatingAdmissionPolicyBinding", Kinds.POLICY_BINDINGS);

  private final NamespaceAccounts accounts;
  private volatile boolean founded;

  /** {@code transport} of an administrator: rights are given that its holder must have. */
  LocalAgentAccounts(Transport transport) {
    this.accounts = new NamespaceAccounts(transport, Ticker.SYSTEM);
  }

  @Override
  public void ensure(String namespace, String account)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (!founded) {
      for (ObjectNode object : AgentRights.objects()) {
        String kind = object.path("kind").asText();
        var resource = KINDS.get(kind);
        if (resource == null) {
          throw new IllegalStateException("agents.yaml: no resource for kind " + kind);
        }
        accounts.make(resource, object);
      }
      founded = true;
    }
    accounts.ensure(namespace, account);
    if (!account.equals(AgentInjection.SERVICE_ACCOUNT)) {
      accounts.make(Kinds.ROLE_BINDINGS, NamespaceAccounts.binding(namespace, account));
    }
  }
}
