package dev.regroup.node.dns;

import dev.regroup.node.service.Addresses4;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a resolver is told: the content of {@code /etc/resolv.conf}. Read from the host's file,
 * computed for a pod by its DNS policy, and rendered. Pure; limits are Kubernetes' own.
 */
public record ResolvConf(
    List<String> nameservers, List<String> searches, Map<String, String> options) {
  private static final int MOST_NAMESERVERS = 3;
  private static final int MOST_SEARCHES = 32;
  private static final int LONGEST_SEARCH_LINE = 2048;

  public static final ResolvConf EMPTY = new ResolvConf(List.of(), List.of(), Map.of());

  /** {@code spec.dnsPolicy} of a pod. */
  public enum Policy {
    CLUSTER_FIRST("ClusterFirst"),
    CLUSTER_FIRST_WITH_HOST_NET("ClusterFirstWithHostNet"),
    DEFAULT("Default"),
    NONE("None");

    private final String wireName;

    Policy(String wireName) {
      this.wireName = wireName;
    }

    /** Reads the wire name; what is absent or unknown has Kubernetes' default. */
    public static Policy of(String wireName) {
      for (Policy policy : values()) {
        if (policy.wireName.equals(wireName)) {
          return policy;
        }
      }
      return CLUSTER_FIRST;
    }
  }

  /** Whose network the pod is in. */
  public enum Network {
    POD,
    HOST
  }

  /** Duplicates are dropped and Kubernetes' limits are kept by leaving out what comes last. */
  public ResolvConf {
    nameservers = nameservers.stream().distinct().limit(MOST_NAMESERVERS).toList();
    searches = fitting(searches);
    options = new LinkedHashMap<>(options); // options keep their order
  }

  /** Reads a file of this kind; lines that mean nothing here are skipped. */
  public static ResolvConf parse(String text) {
    var nameservers = new ArrayList<String>();
    List<String> searches = List.of();
    var options = new LinkedHashMap<String, String>();
    for (String line : text.lines().toList()) {
      List<String> words = List.of(line.replaceAll("[#;].*", "").strip().split("\\s+"));
      List<String> values = words.subList(1, words.size());
      switch (words.getFirst()) {
        case "nameserver" -> nameservers.addAll(values.stream().limit(1).toList());
        case "search", "domain" -> searches = values; // the last line counts
        case "options" -> values.forEach(option -> option(options, option));
        default -> {} // comments, sortlist, and what newer resolvers know
      }
    }
    return new ResolvConf(nameservers, searches, options);
  }

  /**
   * What the resolver of a pod is told.
   *
   * @param cluster address of the cluster's name server
   * @param host what the node's own resolver is told
   * @param added {@code spec.dnsConfig}: appended, its options win
   */
  public static ResolvConf forPod(
      Policy policy,
      Network network,
      String namespace,
      String cluster,
      ResolvConf host,
      ResolvConf added) {
    ResolvConf base =
        switch (policy) {
          case NONE -> EMPTY;
          case DEFAULT -> host;
          case CLUSTER_FIRST ->
              network == Network.HOST ? host : clusterFirst(namespace, cluster, host);
          case CLUSTER_FIRST_WITH_HOST_NET -> clusterFirst(namespace, cluster, host);
        };
    return base.plus(added);
  }

  /** The name servers that have an IPv4 address: the pods' range must not swallow them. */
  public List<Inet4Address> addresses() {
    return nameservers.stream().map(Addresses4::parse).flatMap(Optional::stream).toList();
  }

  /** The file's text, in the order container runtimes write it. */
  public String render() {
    var text = new StringBuilder();
    if (!searches.isEmpty()) {
      text.append("search ").append(String.join(" ", searches)).append('\n');
    }
    nameservers.forEach(server -> text.append("nameserver ").append(server).append('\n'));
    if (!options.isEmpty()) {
      text.append("options");
      options.forEach(
          (name, value) -> text.append(' ').append(value.isEmpty() ? name : name + ":" + value));
      text.append('\n');
    }
    return text.toString();
  }

  private static ResolvConf clusterFirst(String namespace, String cluster, ResolvConf host) {
    var searches = new ArrayList<String>();
    searches.add(namespace + ".svc." + DnsNames.ZONE);
    searches.add("svc." + DnsNames.ZONE);
    searches.add(DnsNames.ZONE);
    searches.addAll(host.searches);
    return new ResolvConf(List.of(cluster), searches, Map.of("ndots", "5"));
  }

  private ResolvConf plus(ResolvConf added) {
    var servers = new LinkedHashSet<>(nameservers);
    servers.addAll(added.nameservers);
    var allSearches = new LinkedHashSet<>(searches);
    allSearches.addAll(added.searches);
    var allOptions = new LinkedHashMap<>(options);
    allOptions.putAll(added.options);
    return new ResolvConf(List.copyOf(servers), List.copyOf(allSearches), allOptions);
  }

  private static List<String> fitting(List<String> searches) {
    var kept = new ArrayList<String>();
    int length = 0;
    for (String search : new LinkedHashSet<>(searches)) {
      length += search.length() + 1;
      if (kept.size() == MOST_SEARCHES || length > LONGEST_SEARCH_LINE) {
        break;
      }
      kept.add(search);
    }
    return List.copyOf(kept);
  }

  private static void option(Map<String, String> options, String option) {
    int colon = option.indexOf(':');
    if (colon < 0) {
      options.put(option, "");
    } else {
      options.put(option.substring(0, colon), option.substring(colon + 1));
    }
  }
}
