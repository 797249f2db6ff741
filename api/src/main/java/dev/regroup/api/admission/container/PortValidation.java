package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;

/** Checks of container ports. */
final class PortValidation {

  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");

  private final List<FieldError> errors;

  PortValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void ofContainer(ObjectNode container, FieldPath path) {
    var names = new HashSet<String>();
    var ports = Trees.objects(container, "ports");
    for (int i = 0; i < ports.size(); i++) {
      ObjectNode port = ports.get(i);
      FieldPath at = path.field("ports").index(i);
      String name = Trees.text(port, "name");
      if (!name.isEmpty()) {
        var problems = NameRules.portName(name);
        problems.forEach(problem -> errors.add(invalid(at.field("name"), name, problem)));
        if (problems.isEmpty() && !names.add(name)) {
          errors.add(duplicate(at.field("name"), name));
        }
      }
      long number = Trees.number(port, "containerPort").orElse(0);
      if (number == 0) {
        errors.add(required(at.field("containerPort"), ""));
      } else {
        NameRules.portNumber(number)
            .forEach(problem -> errors.add(invalid(at.field("containerPort"), number, problem)));
      }
      long host = Trees.number(port, "hostPort").orElse(0);
      if (host != 0) {
        NameRules.portNumber(host)
            .forEach(problem -> errors.add(invalid(at.field("hostPort"), host, problem)));
      }
      String protocol = Trees.text(port, "protocol");
      if (protocol.isEmpty()) {
        errors.add(required(at.field("protocol"), ""));
      } else if (!PROTOCOLS.contains(protocol)) {
        errors.add(notSupported(at.field("protocol"), protocol, PROTOCOLS));
      }
    }
  }

  /** No two containers that run at the same time may take one port of the host. */
  void uniqueOnHost(List<ObjectNode> containers, FieldPath path) {
    var seen = new HashSet<String>();
    for (int i = 0; i < containers.size(); i++) {
      var ports = Trees.objects(containers.get(i), "ports");
      for (int j = 0; j < ports.size(); j++) {
        ObjectNode port = ports.get(j);
        long host = Trees.number(port, "hostPort").orElse(0);
        String place =
            "%s/%s/%d".formatted(Trees.text(port, "protocol"), Trees.text(port, "hostIP"), host);
        if (host != 0 && !seen.add(place)) {
          errors.add(duplicate(path.index(i).field("ports").index(j).field("hostPort"), place));
        }
      }
    }
  }
}
