package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooMany;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Endpoint slices: addresses of one family. */
final class EndpointSliceRules implements KindRules {

  private static final List<String> TYPES = List.of("FQDN", "IPv4", "IPv6");
  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
  private static final int MOST_PORTS = 20_000;
  private static final int MOST_ENDPOINTS = 1000;
  private static final int MOST_ADDRESSES = 100;
  private static final int MOST_HINTS = 8;

  @Override
  public boolean hasGeneration() {
    return true;
  }

  /** Labels count: they say which service it is of. */
  @Override
  public boolean movesGeneration(ObjectNode slice, ObjectNode old) {
    return KindRules.super.movesGeneration(slice, old)
        || !Trees.same(Trees.at(slice, "metadata", "labels"), Trees.at(old, "metadata", "labels"));
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
  public void begin(ObjectNode slice) {
    dropTopology(slice);
  }

  @Override
  public void keep(ObjectNode slice, ObjectNode old) {
    if (!Trees.same(slice.path("endpoints"), old.path("endpoints"))) {
      dropTopology(slice);
    }
  }

  /** Only versions before this one could write it. */
  private static void dropTopology(ObjectNode slice) {
    Trees.objects(slice, "endpoints").forEach(endpoint -> endpoint.remove("deprecatedTopology"));
  }

  @Override
  public List<FieldError> check(ObjectNode slice, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    String type = Trees.text(slice, "addressType");
    FieldPath typePath = FieldPath.of("addressType");
    if (type.isEmpty()) {
      errors.add(required(typePath, ""));
    } else if (!TYPES.contains(type)) {
      errors.add(notSupported(typePath, type, TYPES));
    }
    ports(Trees.objects(slice, "ports"), errors);
    boolean same = old != null && Trees.same(slice.path("endpoints"), old.path("endpoints"));
    if (!same) { // what is stored already may stay
      endpoints(Trees.objects(slice, "endpoints"), type, errors);
    }
    if (old != null && !Trees.text(old, "addressType").equals(type)) {
      errors.add(invalid(typePath, type, "field is immutable"));
    }
    return errors;
  }

  @Override
  public List<String> warnings(ObjectNode slice) {
    return Trees.text(slice, "addressType").equals("FQDN")
        ? List.of("spec.addressType: FQDN endpoints are deprecated")
        : List.of();
  }

  private static void ports(List<ObjectNode> ports, List<FieldError> errors) {
    FieldPath all = FieldPath.of("ports");
    if (ports.size() > MOST_PORTS) {
      errors.add(tooMany(all, ports.size(), MOST_PORTS));
      return;
    }
    var names = new HashSet<String>();
    for (int i = 0; i < ports.size(); i++) {
      ObjectNode port = ports.get(i);
      FieldPath path = all.index(i);
      String name = Trees.text(port, "name");
      if (!name.isEmpty()) {
        NameRules.label(name)
            .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
      }
      if (!names.add(name)) {
        errors.add(duplicate(path.field("name"), name));
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

  private static void endpoints(List<ObjectNode> endpoints, String type, List<FieldError> errors) {
    FieldPath all = FieldPath.of("endpoints");
    if (endpoints.size() > MOST_ENDPOINTS) {
      errors.add(tooMany(all, endpoints.size(), MOST_ENDPOINTS));
      return;
    }
    for (int i = 0; i < endpoints.size(); i++) {
      ObjectNode endpoint = endpoints.get(i);
      FieldPath path = all.index(i);
      addresses(Trees.texts(endpoint, "addresses"), type, path.field("addresses"), errors);
      Trees.textIfPresent(endpoint, "nodeName")
          .ifPresent(node ->
              NameRules.subdomain(node)
                  .forEach(problem -> errors.add(invalid(path.field("nodeName"), node, problem))));
      Trees.textIfPresent(endpoint, "hostname")
          .ifPresent(host ->
              NameRules.label(host)
                  .forEach(problem -> errors.add(invalid(path.field("hostname"), host, problem))));
      hints(endpoint, "forZones", NameRules::labelValue, path.field("hints"), errors);
      hints(endpoint, "forNodes", NameRules::subdomain, path.field("hints"), errors);
    }
  }

  private static void hints(
      ObjectNode endpoint,
      String list,
      Function<String, List<String>> rule,
      FieldPath path,
      List<FieldError> errors) {
    var hints = Trees.objects(endpoint, "hints", list);
    FieldPath all = path.field(list);
    if (hints.size() > MOST_HINTS) {
      errors.add(tooMany(all, hints.size(), MOST_HINTS));
      return;
    }
    var names = new HashSet<String>();
    for (int i = 0; i < hints.size(); i++) {
      String name = Trees.text(hints.get(i), "name");
      FieldPath at = all.index(i).field("name");
      if (!names.add(name)) {
        errors.add(duplicate(at, name));
      }
      rule.apply(name).forEach(problem -> errors.add(invalid(at, name, problem)));
    }
  }

  private static void addresses(
      List<String> addresses, String type, FieldPath at, List<FieldError> errors) {
    if (addresses.isEmpty()) {
      errors.add(required(at, "must contain at least 1 address"));
    } else if (addresses.size() > MOST_ADDRESSES) {
      errors.add(tooMany(at, addresses.size(), MOST_ADDRESSES));
    }
    for (int i = 0; i < addresses.size(); i++) {
      switch (type) {
        case "IPv4", "IPv6" -> address(addresses.get(i), type, at, i, errors);
        case "FQDN" -> name(addresses.get(i), at.index(i), errors);
        default -> {} // refused by its name already
      }
    }
  }

  private static void address(
      String address, String type, FieldPath all, int index, List<FieldError> errors) {
    FieldPath at = all.index(index);
    if (!Addresses.isAddress(address)) {
      errors.add(invalid(at, address, Addresses.problem(address)));
      return;
    }
    String canonical = Addresses.canonical(address);
    if (!canonical.equals(address)) {
      errors.add(
          invalid(
              at,
              address,
              "must be in canonical form (%s)".formatted(FieldError.quote(canonical))));
    }
    if (type.equals("IPv4") && !Addresses.isIpv4(address)) {
      errors.add(invalid(all, address, "must be an IPv4 address"));
    } else if (type.equals("IPv6") && !Addresses.isIpv6(address)) {
      errors.add(invalid(all, address, "must be an IPv6 address"));
    }
    Addresses.special(address).ifPresent(problem -> errors.add(invalid(at, address, problem)));
  }

  private static void name(String address, FieldPath at, List<FieldError> errors) {
    if (address.isEmpty()) {
      errors.add(required(at, ""));
      return;
    }
    String name = address.endsWith(".") ? address.substring(0, address.length() - 1) : address;
    var problems = NameRules.subdomain(name);
    if (!problems.isEmpty()) {
      errors.add(invalid(at, name, String.join(",", problems)));
    } else if (!name.contains(".")) {
      errors.add(
          invalid(at, name, "should be a domain with at least two segments separated by dots"));
    }
  }
}
