package dev.regroup.node.dns;

import java.net.Inet4Address;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Every name of the cluster and its addresses at one moment. Immutable; a change makes a new table
 * that shares all services but one with the old.
 *
 * <pre>
 * service.namespace.svc.cluster.local           cluster address, or every address of a headless one
 * hostname.service.namespace.svc.cluster.local  one pod of a headless service
 * </pre>
 */
public record DnsNames(Map<ServiceName, Addresses> services) {
  /** The zone this table is the only authority for. */
  public static final String ZONE = "cluster.local";

  public static final DnsNames NONE = new DnsNames(Map.of());

  private static final String SERVICES = "svc." + ZONE;
  private static final String REVERSE = "in-addr.arpa";

  /** A service by its namespace and name, both in lower case. */
  public record ServiceName(String namespace, String name) {
    /** The full name without a final dot. */
    public String full() {
      return name + "." + namespace + "." + SERVICES;
    }
  }

  /** Where a service and its named pods are found; in an order that does not depend on hashing. */
  public record Addresses(List<Inet4Address> all, Map<String, List<Inet4Address>> byHostname) {
    public Addresses {
      all = List.copyOf(all);
      byHostname = Map.copyOf(byHostname);
    }
  }

  /** What the table knows about a name. */
  public sealed interface Lookup {
    /** The name exists; without addresses it only has other names below it or nobody is ready. */
    record Found(List<Inet4Address> addresses) implements Lookup {}

    /** An address has this name. */
    record Named(String name) implements Lookup {}

    /** In the zone, and nobody has it. */
    record Missing() implements Lookup {}

    /** Not in the zone: somebody else may know. */
    record Foreign() implements Lookup {}
  }

  public DnsNames {
    services = Map.copyOf(services);
  }

  /** This table with one service replaced, or taken out if it is found nowhere any more. */
  public DnsNames with(ServiceName service, Optional<Addresses> addresses) {
    var changed = new HashMap<>(services);
    addresses.ifPresentOrElse(
        present -> changed.put(service, present), () -> changed.remove(service));
    return new DnsNames(changed);
  }

  /** Looks a full name up; in lower case, without a final dot. */
  public Lookup lookup(String name) {
    if (name.endsWith("." + REVERSE)) {
      return reverse(name);
    }
    if (!name.equals(ZONE) && !name.endsWith("." + ZONE)) {
      return new Lookup.Foreign();
    }
    if (name.equals(ZONE) || name.equals(SERVICES)) {
      return new Lookup.Found(List.of());
    }
    if (!name.endsWith("." + SERVICES)) {
      return new Lookup.Missing();
    }
    String inside = name.substring(0, name.length() - SERVICES.length() - 1);
    List<String> labels = Arrays.asList(inside.split("\\.", -1)).reversed();
    return switch (labels.size()) {
      case 1 -> namespace(labels.get(0));
      case 2 -> service(labels);
      case 3 -> pod(labels);
      default -> new Lookup.Missing();
    };
  }

  private Lookup namespace(String namespace) {
    return services.keySet().stream().anyMatch(service -> service.namespace().equals(namespace))
        ? new Lookup.Found(List.of())
        : new Lookup.Missing();
  }

  private Lookup service(List<String> labels) {
    Addresses addresses = services.get(new ServiceName(labels.get(0), labels.get(1)));
    return addresses == null ? new Lookup.Missing() : new Lookup.Found(addresses.all());
  }

  private Lookup pod(List<String> labels) {
    Addresses addresses = services.get(new ServiceName(labels.get(0), labels.get(1)));
    if (addresses == null) {
      return new Lookup.Missing();
    }
    List<Inet4Address> pod = addresses.byHostname().get(labels.get(2));
    return pod == null ? new Lookup.Missing() : new Lookup.Found(pod);
  }

  /** Rare, so it searches instead of keeping a second table. */
  private Lookup reverse(String name) {
    Optional<Inet4Address> address = reversed(name);
    if (address.isEmpty()) {
      return new Lookup.Foreign();
    }
    var inOrder = new TreeMap<String, Addresses>();
    services.forEach((service, addresses) -> inOrder.put(service.full(), addresses));
    for (var service : inOrder.entrySet()) {
      for (var pod : new TreeMap<>(service.getValue().byHostname()).entrySet()) {
        if (pod.getValue().contains(address.get())) {
          return new Lookup.Named(pod.getKey() + "." + service.getKey());
        }
      }
      if (service.getValue().all().contains(address.get())) {
        return new Lookup.Named(service.getKey());
      }
    }
    return new Lookup.Foreign();
  }

  /** {@code 4.3.2.1.in-addr.arpa} names the address 1.2.3.4. */
  private static Optional<Inet4Address> reversed(String name) {
    String digits = name.substring(0, name.length() - REVERSE.length() - 1);
    List<String> parts = Arrays.asList(digits.split("\\.", -1)).reversed();
    if (parts.size() != 4 || !parts.stream().allMatch(part -> part.matches("[0-9]{1,3}"))) {
      return Optional.empty();
    }
    try {
      return Optional.of(Inet4Address.ofLiteral(String.join(".", parts)));
    } catch (IllegalArgumentException notAnAddress) {
      return Optional.empty();
    }
  }
}
