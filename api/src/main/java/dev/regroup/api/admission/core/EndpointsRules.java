package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Endpoints: addresses that can be reached from elsewhere, and ports. */
final class EndpointsRules implements KindRules {

  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
  private static final int LAST_PORT = 65_535;

  @Override
  public void fill(ObjectNode endpoints) {
    for (ObjectNode subset : Trees.objects(endpoints, "subsets")) {
      Trees.objects(subset, "ports").forEach(port -> Trees.fill(port, "protocol", "TCP"));
    }
  }

  @Override
  public List<FieldError> check(ObjectNode endpoints, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    var subsets = Trees.objects(endpoints, "subsets");
    for (int i = 0; i < subsets.size(); i++) {
      subset(subsets.get(i), FieldPath.of("subsets").index(i), errors);
    }
    return errors;
  }

  private static void subset(ObjectNode subset, FieldPath path, List<FieldError> errors) {
    if (Trees.objects(subset, "addresses").isEmpty()
        && Trees.objects(subset, "notReadyAddresses").isEmpty()) {
      errors.add(required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (String list : List.of("addresses", "notReadyAddresses")) {
      var addresses = Trees.objects(subset, list);
      for (int i = 0; i < addresses.size(); i++) {
        address(addresses.get(i), path.field(list).index(i), errors);
      }
    }
    var ports = Trees.objects(subset, "ports");
    for (int i = 0; i < ports.size(); i++) {
      port(ports.get(i), ports.size() > 1, path.field("ports").index(i), errors);
    }
  }

  private static void address(ObjectNode address, FieldPath path, List<FieldError> errors) {
    String ip = Trees.text(address, "ip");
    FieldPath at = path.field("ip");
    if (!Addresses.isAddress(ip)) {
      errors.add(invalid(at, ip, Addresses.problem(ip)));
    }
    String hostname = Trees.text(address, "hostname");
    if (!hostname.isEmpty()) {
      NameRules.label(hostname)
          .forEach(problem -> errors.add(invalid(path.field("hostname"), hostname, problem)));
    }
    String node = Trees.text(address, "nodeName");
    if (!node.isEmpty()) {
      NameRules.subdomain(node)
          .forEach(problem -> errors.add(invalid(path.field("nodeName"), node, problem)));
    }
    // Kubernetes asks twice, in two ways.
    if (Addresses.isAddress(ip)) {
      Addresses.special(ip).ifPresent(problem -> errors.add(invalid(at, ip, problem)));
    } else if (Addresses.withoutZeros(ip).isEmpty()) {
      errors.add(invalid(at, ip, "must be a valid IP address"));
    }
  }

  private static void port(
      ObjectNode port, boolean needsName, FieldPath path, List<FieldError> errors) {
    String name = Trees.text(port, "name");
    if (name.isEmpty() && needsName) {
      errors.add(required(path.field("name"), ""));
    } else if (!name.isEmpty()) {
      NameRules.label(name)
          .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
    }
    long number = Trees.number(port, "port").orElse(0);
    if (number < 1 || number > LAST_PORT) {
      errors.add(
          invalid(path.field("port"), port.path("port"), "must be between 1 and 65535, inclusive"));
    }
    String protocol = Trees.text(port, "protocol");
    if (!PROTOCOLS.contains(protocol)) {
      errors.add(notSupported(path.field("protocol"), protocol, PROTOCOLS));
    }
    if (Trees.has(port, "appProtocol")) {
      String app = Trees.text(port, "appProtocol");
      NameRules.qualified(app)
          .forEach(problem -> errors.add(invalid(path.field("appProtocol"), app, problem)));
    }
  }
}
