package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Endpoint slices: addresses of one family. */
final class EndpointSliceRules implements KindRules {

  private static final List<String> TYPES = List.of("FQDN", "IPv4", "IPv6");

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public void fill(ObjectNode slice) {
    for (ObjectNode port : Trees.objects(slice, "ports")) {
      if (!Trees.has(port, "name")) {
        port.put("name", "");
      }
      Trees.fill(port, "protocol", "TCP");
    }
    Trees.objects(slice, "endpoints").forEach(endpoint -> Trees.child(endpoint, "conditions"));
  }

  @Override
  public List<FieldError> check(ObjectNode slice, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    String type = Trees.text(slice, "addressType");
    FieldPath typePath = FieldPath.of("addressType");
    var endpoints = Trees.objects(slice, "endpoints");
    if (type.isEmpty()) {
      errors.add(required(typePath, ""));
      return errors;
    }
    boolean changed = old != null && !Trees.text(old, "addressType").equals(type);
    if (!TYPES.contains(type)) {
      errors.add(notSupported(typePath, type, TYPES));
    }
    if (!changed) {
      for (int i = 0; i < endpoints.size(); i++) {
        addresses(endpoints.get(i), type, FieldPath.of("endpoints").index(i), errors);
      }
    }
    if (changed) {
      errors.add(invalid(typePath, type, "field is immutable"));
    }
    return errors;
  }

  private static void addresses(
      ObjectNode endpoint, String type, FieldPath path, List<FieldError> errors) {
    FieldPath at = path.field("addresses");
    var addresses = Trees.texts(endpoint, "addresses");
    if (addresses.isEmpty()) {
      errors.add(required(at, "must contain at least 1 address"));
    }
    for (int i = 0; i < addresses.size(); i++) {
      String address = addresses.get(i);
      FieldPath one = at.index(i);
      if (type.equals("IPv4") && !Addresses.isIpv4(address)) {
        errors.add(invalid(at, address, "must be an IPv4 address"));
      } else if (type.equals("IPv6") && !Addresses.isIpv6(address)) {
        errors.add(invalid(at, address, "must be an IPv6 address"));
      } else if (!type.equals("FQDN")) {
        Addresses.special(address).ifPresent(problem -> errors.add(invalid(one, address, problem)));
      }
    }
  }
}
