package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** From where a service can be reached: addresses, families, load balancer, traffic policies. */
final class ServiceReach {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> FAMILIES = List.of("IPv4", "IPv6");
  private static final List<String> FAMILY_POLICIES =
      List.of("PreferDualStack", "RequireDualStack", "SingleStack");
  private static final List<String> POLICIES = List.of("Cluster", "Local");
  private static final List<String> DISTRIBUTIONS =
      List.of("PreferClose", "PreferSameZone", "PreferSameNode");
  private static final List<String> MODES = List.of("Proxy", "VIP");
  private static final int MOST_ADDRESSES = 2;
  private static final String TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";
  private static final String TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
  private static final String SOURCE_RANGES =
      "service.beta.kubernetes.io/load-balancer-source-ranges";
  private static final String BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

  private ServiceReach() {}

  /** Cluster addresses and their families. Kubernetes looks at them before it allocates any. */
  static List<FieldError> addresses(JsonNode spec) {
    var errors = new ArrayList<FieldError>();
    if (Trees.text(spec, "type").equals("ExternalName")) {
      return errors;
    }
    FieldPath path = SPEC.field("clusterIPs");
    String first = Trees.text(spec, "clusterIP");
    var addresses = Trees.texts(spec, "clusterIPs");
    if (first.isEmpty() && !addresses.isEmpty()) {
      errors.add(
          invalid(
              path, spec.path("clusterIPs"), "must be empty when `clusterIP` is not specified"));
    } else if (!first.isEmpty() && !addresses.isEmpty() && !addresses.getFirst().equals(first)) {
      errors.add(invalid(path, spec.path("clusterIPs"), "first value must match `clusterIP`"));
    }
    var seen = new HashSet<String>();
    var families = Trees.texts(spec, "ipFamilies");
    for (int i = 0; i < families.size(); i++) {
      FieldPath at = SPEC.field("ipFamilies").index(i);
      if (!FAMILIES.contains(families.get(i))) {
        errors.add(notSupported(at, families.get(i), FAMILIES));
      }
      if (!seen.add(families.get(i))) {
        errors.add(FieldError.duplicate(at, families.get(i)));
      }
    }
    String policy = Trees.text(spec, "ipFamilyPolicy");
    if (!policy.isEmpty() && !FAMILY_POLICIES.contains(policy)) {
      errors.add(notSupported(SPEC.field("ipFamilyPolicy"), policy, FAMILY_POLICIES));
    }
    int before = errors.size();
    for (int i = 0; i < addresses.size(); i++) {
      address(addresses, i, spec, errors);
    }
    boolean wrong = errors.size() > before;
    if (addresses.size() > MOST_ADDRESSES) {
      errors.add(invalid(path, spec.path("clusterIPs"), "may only hold up to 2 values"));
    }
    if (!wrong) {
      stacks(addresses, families, spec, errors);
    }
    return errors;
  }

  /** One address of each family, and each of the family that stands in its place. */
  private static void stacks(
      List<String> addresses, List<String> families, JsonNode spec, List<FieldError> errors) {
    FieldPath path = SPEC.field("clusterIPs");
    long second = addresses.stream().filter(address -> address.contains(":")).count();
    if (addresses.size() > 1 && (second == 0 || second == addresses.size())) {
      errors.add(
          invalid(
              path, spec.path("clusterIPs"), "may specify no more than one IP for each IP family"));
    }
    if (addresses.contains("None")) {
      return;
    }
    for (int i = 0; i < Math.min(addresses.size(), families.size()); i++) {
      String address = addresses.get(i);
      String own = address.contains(":") ? "IPv6" : "IPv4";
      String family = families.get(i);
      if (FAMILIES.contains(family) && !family.equals(own)) {
        errors.add(
            invalid(
                path.index(i),
                address,
                "expected an %s value as indicated by `ipFamilies[%d]`".formatted(family, i)));
      }
    }
  }

  /** Two ways to say one thing must not contradict each other. */
  static List<FieldError> annotations(JsonNode annotations) {
    boolean both = Trees.has(annotations, TOPOLOGY_MODE) && Trees.has(annotations, TOPOLOGY_HINTS);
    String mode = Trees.text(annotations, TOPOLOGY_MODE);
    if (!both || mode.equals(Trees.text(annotations, TOPOLOGY_HINTS))) {
      return List.of();
    }
    return List.of(
        invalid(
            FieldPath.of("metadata", "annotations").key(TOPOLOGY_MODE),
            mode,
            "must match annotations[" + TOPOLOGY_HINTS + "] when both are specified"));
  }

  /** Load balancers that keep to local endpoints ask nodes for them at a port. */
  static boolean isHealthChecked(JsonNode spec) {
    return Trees.text(spec, "type").equals("LoadBalancer")
        && Trees.text(spec, "externalTrafficPolicy").equals("Local");
  }

  private static void address(
      List<String> addresses, int i, JsonNode spec, List<FieldError> errors) {
    FieldPath path = SPEC.field("clusterIPs");
    String address = addresses.get(i);
    if (i == 0 && address.equals("None")) {
      if (addresses.size() > 1) {
        errors.add(
            invalid(path, spec.path("clusterIPs"), "'None' must be the first and only value"));
      }
    } else if (!Addresses.isAddress(address)) {
      errors.add(invalid(path.index(i), address, Addresses.problem(address)));
    }
  }

  /** What this cluster, which has IPv4 alone, cannot give. */
  static List<FieldError> unavailable(JsonNode spec) {
    var errors = new ArrayList<FieldError>();
    boolean named = Trees.text(spec, "type").equals("ExternalName");
    boolean manual =
        Trees.text(spec, "clusterIP").equals("None") && spec.path("selector").isEmpty();
    if (named || manual) {
      return errors;
    }
    String policy = Trees.text(spec, "ipFamilyPolicy");
    if (policy.equals("RequireDualStack")) {
      errors.add(
          invalid(
              SPEC.field("ipFamilyPolicy"),
              policy,
              "this cluster is not configured for dual-stack services"));
    }
    var families = Trees.texts(spec, "ipFamilies");
    for (int i = 0; i < families.size(); i++) {
      if (families.get(i).equals("IPv6")) {
        errors.add(
            invalid(
                SPEC.field("ipFamilies").index(i),
                families.get(i),
                "not configured on this cluster"));
      }
    }
    return errors;
  }

  static List<FieldError> external(JsonNode addresses) {
    var errors = new ArrayList<FieldError>();
    for (int i = 0; i < addresses.size(); i++) {
      String address = addresses.get(i).asText();
      FieldPath path = SPEC.field("externalIPs").index(i);
      if (Addresses.isAddress(address)) {
        Addresses.special(address).ifPresent(p -> errors.add(invalid(path, address, p)));
      } else {
        errors.add(invalid(path, address, Addresses.problem(address)));
      }
    }
    return errors;
  }

  static List<FieldError> traffic(ObjectNode service, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = service.path("spec");
    String type = Trees.text(spec, "type");
    boolean balanced = type.equals("LoadBalancer");
    var ranges = Trees.texts(spec, "loadBalancerSourceRanges");
    FieldPath path = SPEC.field("LoadBalancerSourceRanges"); // it is written like that
    if (!ranges.isEmpty() && !balanced) {
      errors.add(forbidden(path, BALANCER_ONLY));
    }
    for (int i = 0; i < ranges.size(); i++) {
      String range = ranges.get(i).strip();
      FieldPath at = path.index(i);
      Addresses.rangeProblem(range).ifPresent(p -> errors.add(invalid(at, range, p)));
    }
    if (ranges.isEmpty()) {
      rangesByAnnotation(service, old, balanced, errors);
    }
    for (String field : List.of("allocateLoadBalancerNodePorts", "loadBalancerClass")) {
      if (Trees.has(spec, field) && !balanced) {
        errors.add(forbidden(SPEC.field(field), BALANCER_ONLY));
      }
    }
    if (balanced && Trees.has(spec, "loadBalancerClass")) {
      String name = Trees.text(spec, "loadBalancerClass");
      NameRules.qualified(name)
          .forEach(p -> errors.add(invalid(SPEC.field("loadBalancerClass"), name, p)));
    }
    policies(spec, type, errors);
    return errors;
  }

  private static void rangesByAnnotation(
      ObjectNode service, @Nullable ObjectNode old, boolean balanced, List<FieldError> errors) {
    var given = Trees.textIfPresent(service, "metadata", "annotations", SOURCE_RANGES);
    if (given.isEmpty()) {
      return;
    }
    FieldPath path = FieldPath.of("metadata", "annotations").key(SOURCE_RANGES);
    if (!balanced) {
      errors.add(forbidden(path, BALANCER_ONLY));
    }
    var before =
        old == null
            ? Optional.<String>empty()
            : Trees.textIfPresent(old, "metadata", "annotations", SOURCE_RANGES);
    String ranges = given.get().strip();
    if (given.equals(before) || ranges.isEmpty()) {
      return;
    }
    for (String range : ranges.split(",", -1)) {
      Addresses.rangeProblem(range.strip())
          .ifPresent(p -> errors.add(invalid(path, range.strip(), p)));
    }
  }

  private static void policies(JsonNode spec, String type, List<FieldError> errors) {
    FieldPath path = SPEC.field("externalTrafficPolicy");
    String policy = Trees.text(spec, "externalTrafficPolicy");
    boolean outside =
        type.equals("NodePort")
            || type.equals("LoadBalancer")
            || (type.equals("ClusterIP") && !spec.path("externalIPs").isEmpty());
    if (!outside && !policy.isEmpty()) {
      errors.add(invalid(path, policy, "may only be set for externally-accessible services"));
    } else if (outside && policy.isEmpty()) {
      errors.add(required(path, ""));
    } else if (outside && !POLICIES.contains(policy)) {
      errors.add(notSupported(path, policy, POLICIES));
    }
    long port = Trees.number(spec, "healthCheckNodePort").orElse(0);
    FieldPath health = SPEC.field("healthCheckNodePort");
    if (!isHealthChecked(spec) && port != 0) {
      errors.add(
          invalid(
              health,
              port,
              "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is"
                  + " 'Local'"));
    }
    String inside = Trees.text(spec, "internalTrafficPolicy");
    if (Trees.has(spec, "internalTrafficPolicy") && !POLICIES.contains(inside)) {
      errors.add(notSupported(SPEC.field("internalTrafficPolicy"), inside, POLICIES));
    }
    String distribution = Trees.text(spec, "trafficDistribution");
    if (Trees.has(spec, "trafficDistribution") && !DISTRIBUTIONS.contains(distribution)) {
      errors.add(notSupported(SPEC.field("trafficDistribution"), distribution, DISTRIBUTIONS));
    }
  }

  /** What a load balancer reports. */
  static List<FieldError> ingress(ObjectNode service) {
    var errors = new ArrayList<FieldError>();
    FieldPath path = FieldPath.of("status", "loadBalancer", "ingress");
    var ingress = Trees.objects(service, "status", "loadBalancer", "ingress");
    if (!ingress.isEmpty() && !Trees.text(service, "spec", "type").equals("LoadBalancer")) {
      errors.add(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
      return errors;
    }
    for (int i = 0; i < ingress.size(); i++) {
      point(ingress.get(i), path.index(i), errors);
    }
    return errors;
  }

  private static void point(ObjectNode point, FieldPath path, List<FieldError> errors) {
    String ip = Trees.text(point, "ip");
    String mode = Trees.text(point, "ipMode");
    if (!ip.isEmpty() && !Addresses.isAddress(ip)) {
      errors.add(invalid(path.field("ip"), ip, Addresses.problem(ip)));
    }
    if (ip.isEmpty() && !mode.isEmpty()) {
      errors.add(forbidden(path.field("ipMode"), "may not be specified when `ip` is not set"));
    } else if (!mode.isEmpty() && !MODES.contains(mode)) {
      errors.add(notSupported(path.field("ipMode"), mode, MODES));
    }
    String host = Trees.text(point, "hostname");
    if (!host.isEmpty()) {
      NameRules.subdomain(host).forEach(p -> errors.add(invalid(path.field("hostname"), host, p)));
      if (Addresses.isAddress(host)) {
        errors.add(invalid(path.field("hostname"), host, "must be a DNS name, not an IP address"));
      }
    }
  }

  static List<String> warnings(JsonNode spec) {
    var warnings = new ArrayList<String>();
    String type = Trees.text(spec, "type");
    boolean external = !spec.path("externalIPs").isEmpty();
    boolean named = type.equals("ExternalName");
    boolean headless = type.equals("ClusterIP") && Trees.text(spec, "clusterIP").equals("None");
    if (headless && Trees.has(spec, "loadBalancerIP")) {
      warnings.add("spec.loadBalancerIP is ignored for headless services");
    }
    if (headless && external) {
      warnings.add("spec.externalIPs is ignored for headless services");
    }
    if (headless && !Trees.text(spec, "sessionAffinity").equals("None")) {
      warnings.add("spec.SessionAffinity is ignored for headless services");
    }
    String balancer = Trees.text(spec, "loadBalancerIP");
    if (!headless && !balancer.isEmpty() && !Addresses.isAddress(balancer)) {
      Addresses.withoutZeros(balancer)
          .ifPresent(plain ->
              warnings.add(
                  "spec.loadBalancerIP: non-standard IP address %s is invalid: use %s"
                      .formatted(FieldError.quote(balancer), FieldError.quote(plain))));
    }
    if (external && !headless && !named) {
      warnings.add(
          "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    }
    if (external && named) {
      warnings.add("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
    }
    if (!named && !Trees.text(spec, "externalName").isEmpty()) {
      warnings.add("spec.externalName is ignored when spec.type is not \"ExternalName\"");
    }
    if (Trees.text(spec, "trafficDistribution").equals("PreferClose")) {
      warnings.add(
          "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
    }
    return warnings;
  }
}
