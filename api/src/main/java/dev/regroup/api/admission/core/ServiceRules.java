package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Services. The address of one that wants any is the server's to choose, before admission. */
public final class ServiceRules implements KindRules {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> TYPES =
      List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
  private static final int LONGEST_AFFINITY = 86_400; // a day
  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

  /**
   * What is wrong with the addresses a service asks for, found before the server chooses any; then
   * nothing else is looked at.
   */
  public static List<FieldError> unavailable(ObjectNode service, @Nullable ObjectNode old) {
    ObjectNode asked =
        service.path("spec") instanceof ObjectNode spec ? spec.deepCopy() : Wire.object();
    if (old != null && isAddressed(asked) && isAddressed(old.path("spec"))) {
      keepAddress(asked, Trees.object(old, "spec").orElseGet(Wire::object));
    }
    var errors = ServiceReach.addresses(asked);
    return errors.isEmpty() ? ServiceReach.unavailable(service.path("spec")) : errors;
  }

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public void begin(ObjectNode service) {
    service.putObject("status").putObject("loadBalancer");
  }

  @Override
  public void fill(ObjectNode service) {
    ObjectNode spec = Trees.child(service, "spec");
    Trees.fill(spec, "type", "ClusterIP");
    Trees.fill(spec, "sessionAffinity", "None");
    for (ObjectNode port : Trees.objects(spec, "ports")) {
      Trees.fill(port, "protocol", "TCP");
      if (isUnset(port.path("targetPort"))) {
        Trees.putNumber(port, "targetPort", port.path("port").asLong(0));
      }
    }
    String type = Trees.text(spec, "type");
    if (Trees.text(spec, "sessionAffinity").equals("ClientIP")) {
      Trees.fill(
          Trees.child(Trees.child(spec, "sessionAffinityConfig"), "clientIP"),
          "timeoutSeconds",
          10800);
    }
    if (Trees.text(spec, "sessionAffinity").equals("None")) {
      spec.remove("sessionAffinityConfig");
    }
    for (ObjectNode point : Trees.objects(service, "status", "loadBalancer", "ingress")) {
      if (!Trees.text(point, "ip").isEmpty()) {
        Trees.fill(point, "ipMode", "VIP");
      }
    }
    if (type.equals("ExternalName")) {
      return;
    }
    if (isOutside(type) || !spec.path("externalIPs").isEmpty()) {
      Trees.fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if (type.equals("LoadBalancer")) {
      Trees.fill(spec, "allocateLoadBalancerNodePorts", true);
    }
    if (!Trees.has(spec, "internalTrafficPolicy")) {
      spec.put("internalTrafficPolicy", "Cluster");
    }
  }

  /** A target of 0 or without a name is none. */
  private static boolean isUnset(JsonNode target) {
    return target.isMissingNode()
        || target.isNull()
        || (target.isNumber() && target.asLong() == 0)
        || (target.isTextual() && target.textValue().isEmpty());
  }

  @Override
  public void complete(ObjectNode service) {
    ObjectNode spec = Trees.child(service, "spec");
    if (Trees.text(spec, "type").equals("ExternalName")) {
      return;
    }
    boolean headless = Trees.text(spec, "clusterIP").equals("None");
    if (headless && spec.path("selector").isEmpty()) { // whoever writes its endpoints may use both
      if (!Trees.text(spec, "ipFamilyPolicy").equals("SingleStack")
          && !Trees.has(spec, "ipFamilies")) {
        spec.putArray("ipFamilies").add("IPv4").add("IPv6");
      }
      Trees.fill(spec, "ipFamilyPolicy", "RequireDualStack");
    }
    Trees.fill(spec, "ipFamilyPolicy", "SingleStack");
    if (!Trees.has(spec, "ipFamilies")) {
      spec.putArray("ipFamilies").add("IPv4");
    }
    String address = Trees.text(spec, "clusterIP");
    if (!address.isEmpty() && !Trees.has(spec, "clusterIPs")) {
      spec.putArray("clusterIPs").add(address);
    }
  }

  /** What a type does not use any more goes, unless the request itself changes it. */
  @Override
  public void keep(ObjectNode service, ObjectNode old) {
    ObjectNode spec = Trees.child(service, "spec");
    ObjectNode before = Trees.object(old, "spec").orElseGet(Wire::object);
    String type = Trees.text(spec, "type");
    String previous = Trees.text(before, "type");
    if (isAddressed(spec) && isAddressed(before)) {
      keepAddress(spec, before);
    }
    if (isAddressed(before) && !isAddressed(spec)) {
      dropSame(
          spec,
          before,
          List.of(
              "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"));
    }
    if (previous.equals("LoadBalancer") && !type.equals("LoadBalancer")) {
      dropSame(
          spec,
          before,
          List.of("allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort"));
    }
    if (isOutside(previous) && !isOutside(type)) {
      dropSame(spec, before, List.of("externalTrafficPolicy"));
    }
    if (!type.equals("LoadBalancer") && service.get("status") instanceof ObjectNode status) {
      status.putObject("loadBalancer");
    }
  }

  private static boolean isAddressed(JsonNode spec) {
    return !Trees.text(spec, "type").equals("ExternalName");
  }

  /** What was given stays given when a request does not mention it. */
  private static void keepAddress(ObjectNode spec, ObjectNode before) {
    boolean untouched =
        Trees.texts(spec, "clusterIPs").isEmpty()
            || Trees.same(spec.path("clusterIPs"), before.path("clusterIPs"));
    if (Trees.text(spec, "clusterIP").isEmpty() && untouched) {
      Trees.carry(before, spec, "clusterIP");
      Trees.carry(before, spec, "clusterIPs");
    } else if (untouched && !Trees.same(spec.path("clusterIP"), before.path("clusterIP"))) {
      spec.putArray("clusterIPs").add(Trees.text(spec, "clusterIP")); // the one follows the other
    }
    for (String field : List.of("ipFamilies", "ipFamilyPolicy")) {
      if (!Trees.has(spec, field)) {
        Trees.carry(before, spec, field);
      }
    }
  }

  private static boolean isOutside(String type) {
    return type.equals("NodePort") || type.equals("LoadBalancer");
  }

  private static void dropSame(ObjectNode spec, JsonNode before, List<String> fields) {
    for (String field : fields) {
      if (Trees.same(spec.path(field), before.path(field))) {
        spec.remove(field);
      }
    }
  }

  @Override
  public List<FieldError> check(ObjectNode service, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = service.path("spec");
    String type = Trees.text(spec, "type");
    if (old != null) {
      errors.addAll(ServiceChanges.check(spec, old.path("spec")));
    }
    errors.addAll(ServiceReach.annotations(service.path("metadata").path("annotations")));
    boolean headless = Trees.text(spec, "clusterIP").equals("None");
    var ports = Trees.objects(spec, "ports");
    if (ports.isEmpty() && !headless && !type.equals("ExternalName")) {
      errors.add(required(SPEC.field("ports"), ""));
    }
    type(spec, type, errors);
    ports(ports, errors);
    errors.addAll(Metadata.labels(SPEC.field("selector"), spec.path("selector")));
    affinity(spec, errors);
    errors.addAll(ServiceReach.addresses(spec));
    errors.addAll(ServiceReach.external(spec.path("externalIPs")));
    if (!TYPES.contains(type)) {
      errors.add(notSupported(SPEC.field("type"), type, TYPES));
    }
    numbers(ports, type, errors);
    errors.addAll(ServiceReach.traffic(service, old));
    return errors;
  }

  @Override
  public List<FieldError> checkStatus(ObjectNode service, ObjectNode old) {
    return ServiceReach.ingress(service);
  }

  @Override
  public List<String> warnings(ObjectNode service) {
    return ServiceReach.warnings(service.path("spec"));
  }

  private static void type(JsonNode spec, String type, List<FieldError> errors) {
    if (isOutside(type) && Trees.text(spec, "clusterIP").equals("None")) {
      errors.add(
          invalid(
              SPEC.field("clusterIPs").index(0),
              "None",
              "may not be set to 'None' for " + type + " services"));
    }
    if (!type.equals("ExternalName")) {
      return;
    }
    for (String field : List.of("clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
      boolean address = field.equals("clusterIPs") && !Trees.text(spec, "clusterIP").isEmpty();
      if (Trees.has(spec, field) || address) {
        errors.add(forbidden(SPEC.field(field), "may not be set for ExternalName services"));
      }
    }
    String given = Trees.text(spec, "externalName");
    String name = given.endsWith(".") ? given.substring(0, given.length() - 1) : given;
    if (name.isEmpty()) {
      errors.add(required(SPEC.field("externalName"), ""));
    } else {
      NameRules.subdomain(name)
          .forEach(p -> errors.add(invalid(SPEC.field("externalName"), name, p)));
    }
  }

  private static void affinity(JsonNode spec, List<FieldError> errors) {
    String affinity = Trees.text(spec, "sessionAffinity");
    if (!List.of("ClientIP", "None").contains(affinity)) {
      errors.add(
          notSupported(SPEC.field("sessionAffinity"), affinity, List.of("ClientIP", "None")));
    }
    if (affinity.equals("ClientIP")) {
      FieldPath path = SPEC.field("sessionAffinityConfig", "clientIP", "timeoutSeconds");
      long seconds =
          Trees.number(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds").orElse(0);
      if (seconds <= 0 || seconds > LONGEST_AFFINITY) {
        errors.add(
            invalid(path, seconds, "must be greater than 0 and less than " + LONGEST_AFFINITY));
      }
    }
  }

  private static void ports(List<ObjectNode> ports, List<FieldError> errors) {
    var names = new HashSet<String>();
    for (int i = 0; i < ports.size(); i++) {
      ObjectNode port = ports.get(i);
      FieldPath path = SPEC.field("ports").index(i);
      String name = Trees.text(port, "name");
      if (name.isEmpty() && ports.size() > 1) {
        errors.add(required(path.field("name"), ""));
      } else if (!name.isEmpty()) {
        NameRules.label(name)
            .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
        if (!names.add(name)) {
          errors.add(duplicate(path.field("name"), name));
        }
      }
      long number = port.path("port").asLong(0);
      NameRules.portNumber(number)
          .forEach(problem -> errors.add(invalid(path.field("port"), number, problem)));
      String protocol = Trees.text(port, "protocol");
      if (!PROTOCOLS.contains(protocol)) {
        errors.add(notSupported(path.field("protocol"), protocol, PROTOCOLS));
      }
      target(port.path("targetPort"), path.field("targetPort"), errors);
      if (Trees.has(port, "appProtocol")) {
        String app = Trees.text(port, "appProtocol");
        NameRules.qualified(app)
            .forEach(problem -> errors.add(invalid(path.field("appProtocol"), app, problem)));
      }
    }
  }

  private static void target(JsonNode target, FieldPath path, List<FieldError> errors) {
    var problems =
        target.isTextual()
            ? NameRules.portName(target.textValue())
            : NameRules.portNumber(target.asLong(0));
    problems.forEach(problem -> errors.add(invalid(path, target, problem)));
  }

  private static void numbers(List<ObjectNode> ports, String type, List<FieldError> errors) {
    var onNode = new HashSet<String>();
    var numbers = new HashSet<String>();
    var twice = new ArrayList<FieldError>();
    var again = new ArrayList<FieldError>();
    for (int i = 0; i < ports.size(); i++) {
      ObjectNode port = ports.get(i);
      FieldPath path = SPEC.field("ports").index(i);
      String protocol = Trees.text(port, "protocol");
      long number = port.path("port").asLong(0);
      long nodePort = port.path("nodePort").asLong(0);
      if (nodePort != 0) {
        if (type.equals("ClusterIP")) {
          errors.add(
              forbidden(path.field("nodePort"), "may not be used when `type` is 'ClusterIP'"));
        }
        if (!onNode.add(protocol + "/" + nodePort)) {
          twice.add(duplicate(path.field("nodePort"), nodePort));
        }
      }
      if (!numbers.add(protocol + "/" + number)) {
        ObjectNode key = Wire.object();
        key.put("Protocol", protocol).put("Port", number);
        again.add(duplicate(path, key));
      }
    }
    errors.addAll(twice);
    errors.addAll(again);
  }
}
