package dev.regroup.server.nodes;

import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.rbac.DefaultRules;
import java.util.Optional;
import java.util.Set;

/**
 * Gives nodes the rights of the role {@code system:node}, as far as the object is theirs: what
 * their pods refer to, the pods themselves, their own node, lease and drivers. Has no opinion about
 * anybody else.
 */
public final class NodeAuthorizer implements Authorizer {
  private static final Set<String> READING = Set.of("get", "list", "watch");
  private static final String LEASES = "kube-node-lease";

  private final NodeGraph graph;

  /** Read when the first node from outside asks. */
  private static final class Rules {
    private static final DefaultRules OF_NODES = DefaultRules.of("system:node");
  }

  public NodeAuthorizer(NodeGraph graph) {
    this.graph = graph;
  }

  @Override
  public Authorization decide(Attributes wanted) {
    var name = wanted.identity().nodeName();
    if (name.isEmpty()) {
      return new Authorization.NoOpinion("");
    }
    var problem = wanted.isResource() ? problem(name.get(), wanted) : Optional.<String>empty();
    if (problem.isPresent()) {
      return new Authorization.NoOpinion(problem.get());
    }
    return Rules.OF_NODES.allow(wanted)
        ? new Authorization.Allow("")
        : new Authorization.NoOpinion("");
  }

  /** Why the object is none of the node's business. */
  private Optional<String> problem(String node, Attributes wanted) {
    return switch (wanted.group() + "/" + wanted.resource()) {
      case "/secrets", "/configmaps", "/persistentvolumeclaims" -> ofReferred(node, wanted);
      case "/serviceaccounts" -> ofAccount(node, wanted);
      case "/pods" -> ofPod(node, wanted);
      case "/nodes" -> ofNode(node, wanted);
      case "coordination.k8s.io/leases" -> ofLease(node, wanted);
      case "storage.k8s.io/csinodes" -> ofItsName(node, wanted, "CSINode");
      default -> Optional.empty();
    };
  }

  private Optional<String> ofReferred(String node, Attributes wanted) {
    if (wanted.subresource().isEmpty() && !READING.contains(wanted.verb())) {
      return Optional.of("can only read resources of this type");
    }
    return wanted.name().isEmpty()
        ? Optional.of("can only read namespaced object of this type")
        : related(node, wanted);
  }

  private Optional<String> ofAccount(String node, Attributes wanted) {
    if (wanted.verb().equals("get") && wanted.subresource().isEmpty()) {
      return ofReferred(node, wanted);
    }
    if (!wanted.verb().equals("create") || wanted.name().isEmpty()) {
      return Optional.of("can only create tokens for individual service accounts");
    }
    return wanted.subresource().equals("token")
        ? related(node, wanted)
        : Optional.of("can only create token subresource of serviceaccount");
  }

  private Optional<String> related(String node, Attributes wanted) {
    return graph.refers(node, wanted.resource(), wanted.namespace(), wanted.name())
        ? Optional.empty()
        : unrelated(node);
  }

  private static Optional<String> unrelated(String node) {
    return Optional.of("no relationship found between node '" + node + "' and this object");
  }

  private Optional<String> ofPod(String node, Attributes wanted) {
    if (!wanted.name().isEmpty()) {
      var runsOn = graph.nodeOf(wanted.namespace(), wanted.name());
      boolean unknown = runsOn.isEmpty() && !wanted.verb().equals("get");
      return unknown || runsOn.filter(node::equals).isPresent()
          ? Optional.empty()
          : unrelated(node);
    }
    boolean ofMany = wanted.verb().equals("list") || wanted.verb().equals("watch");
    return ofMany && !node.equals(wanted.selected().get("spec.nodeName"))
        ? Optional.of("can only list/watch pods with spec.nodeName field selector")
        : Optional.empty();
  }

  private static Optional<String> ofNode(String node, Attributes wanted) {
    if (wanted.verb().equals("create") || wanted.name().equals(node)) {
      return Optional.empty();
    }
    return Optional.of(
        READING.contains(wanted.verb())
            ? "node '%s' cannot read %s, only its own Node object"
                .formatted(node, wanted.name().isEmpty() ? "all nodes" : "'" + wanted.name() + "'")
            : "node '%s' cannot write to another node".formatted(node));
  }

  private static Optional<String> ofLease(String node, Attributes wanted) {
    if (!wanted.namespace().equals(LEASES)) {
      return Optional.of("can only access leases in the \"%s\" system namespace".formatted(LEASES));
    }
    return ofItsName(node, wanted, "node lease");
  }

  /** A new object has no name in its address; what it is called is looked at when it is written. */
  private static Optional<String> ofItsName(String node, Attributes wanted, String what) {
    boolean fresh = wanted.verb().equals("create") && wanted.name().isEmpty();
    return fresh || wanted.name().equals(node)
        ? Optional.empty()
        : Optional.of(
            "can only access %s with the same name as the requesting node".formatted(what));
  }
}
