package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Services. The address of a service that wants one ({@link #needsAddress}) is the server's to
 * choose, before admission.
 */
public final class ServiceRules implements KindRules {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> TYPES =
      List.of("ClusterIP", "ExternalName", "LoadBalancer", "NodePort");
  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

  /** Whether the server has to choose a {@code clusterIP} for this new service. */
  public static boolean needsAddress(ObjectNode service) {
    JsonNode spec = service.path("spec");
    return !Trees.text(spec, "type").equals("ExternalName")
        && Trees.text(spec, "clusterIP").isEmpty();
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
      if (!Trees.has(port, "targetPort")) {
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
    if (type.equals("ExternalName")) {
      return;
    }
    if (type.equals("NodePort") || type.equals("LoadBalancer")) {
      Trees.fill(spec, "externalTrafficPolicy", "Cluster");
    }
    if (type.equals("LoadBalancer")) {
      Trees.fill(spec, "allocateLoadBalancerNodePorts", true);
    }
    Trees.fill(spec, "internalTrafficPolicy", "Cluster");
  }

  @Override
  public void complete(ObjectNode service) {
    ObjectNode spec = Trees.child(service, "spec");
    if (Trees.text(spec, "type").equals("ExternalName")) {
      return;
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

  @Override
  public List<FieldError> check(ObjectNode service, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = service.path("spec");
    String type = Trees.text(spec, "type");
    boolean headless = Trees.text(spec, "clusterIP").equals("None");
    var ports = Trees.objects(spec, "ports");
    if (ports.isEmpty() && !headless && !type.equals("ExternalName")) {
      errors.add(required(SPEC.field("ports"), ""));
    }
    if (type.equals("ExternalName")) {
      String name = Trees.text(spec, "externalName");
      if (name.isEmpty()) {
        errors.add(required(SPEC.field("externalName"), ""));
      } else {
        NameRules.subdomain(name)
            .forEach(p -> errors.add(invalid(SPEC.field("externalName"), name, p)));
      }
    }
    ports(ports, errors);
    errors.addAll(Metadata.labels(SPEC.field("selector"), spec.path("selector")));
    String affinity = Trees.text(spec, "sessionAffinity");
    if (!List.of("ClientIP", "None").contains(affinity)) {
      errors.add(
          notSupported(SPEC.field("sessionAffinity"), affinity, List.of("ClientIP", "None")));
    }
    if (!TYPES.contains(type)) {
      errors.add(notSupported(SPEC.field("type"), type, TYPES));
    }
    addresses(spec, errors);
    if (old != null) {
      addressChange(spec, old.path("spec"), errors);
    }
    return errors;
  }

  private static void ports(List<ObjectNode> ports, List<FieldError> errors) {
    var names = new HashSet<String>();
    var numbers = new HashSet<String>();
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
      if (!numbers.add(protocol + "/" + number)) {
        ObjectNode key = Wire.object();
        key.put("Protocol", protocol).put("Port", number);
        errors.add(duplicate(path, key));
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

  private static void addresses(JsonNode spec, List<FieldError> errors) {
    var addresses = Trees.texts(spec, "clusterIPs");
    for (int i = 0; i < addresses.size(); i++) {
      String address = addresses.get(i);
      if (!address.equals("None") && !Addresses.isAddress(address)) {
        errors.add(invalid(SPEC.field("clusterIPs").index(i), address, Addresses.ADDRESS_TEXT));
      }
    }
  }

  private static void addressChange(JsonNode spec, JsonNode old, List<FieldError> errors) {
    String before = Trees.text(old, "clusterIP");
    boolean toName = Trees.text(spec, "type").equals("ExternalName");
    if (!before.isEmpty() && !toName && !before.equals(Trees.text(spec, "clusterIP"))) {
      errors.add(
          invalid(
              SPEC.field("clusterIPs").index(0),
              spec.path("clusterIPs"),
              "may not change once set"));
    }
  }
}
