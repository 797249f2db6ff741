package dev.regroup.api.admission.core;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Service accounts. */
final class AccountRules implements KindRules {

  private static final String ENFORCE = "kubernetes.io/enforce-mountable-secrets";

  /** Secrets are named, nothing else is kept of them. */
  @Override
  public void complete(ObjectNode account) {
    Trees.objects(account, "secrets").forEach(secret -> secret.retain(List.of("name")));
  }

  @Override
  public List<String> warnings(ObjectNode account) {
    return Trees.has(account, "metadata", "annotations", ENFORCE)
        ? List.of(
            "metadata.annotations["
                + ENFORCE
                + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to"
                + " mounted secrets")
        : List.of();
  }
}
