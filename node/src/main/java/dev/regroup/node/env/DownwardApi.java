package dev.regroup.node.env;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceFieldSelector;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a pod and resources of a container as texts ({@code fieldRef}, {@code
 * resourceFieldRef}).
 */
public final class DownwardApi {

  private final Pod pod;
  private final PodFacts facts;

  public DownwardApi(Pod pod, PodFacts facts) {
    this.pod = pod;
    this.facts = facts;
  }

  /** The value of a field; an absent label, annotation or address is an empty text. */
  public String field(String path) throws ConfigFailure {
    var subscript = subscript(path);
    if (subscript.isPresent()) {
      return subscript.get();
    }
    return switch (path) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "metadata.labels" -> lines(pod.getMetadata().getLabels());
      case "metadata.annotations" -> lines(pod.getMetadata().getAnnotations());
      case "spec.nodeName" -> facts.nodeName();
      case "spec.serviceAccountName" -> orEmpty(pod.getSpec().getServiceAccountName());
      case "status.hostIP", "status.hostIPs" -> facts.hostIp();
      case "status.podIP" -> facts.podIp();
      case "status.podIPs" -> String.join(",", facts.podIps());
      default -> throw new ConfigFailure("unsupported fieldPath: " + path);
    };
  }

  /** The same for the container that the selector must name, as files do. */
  public String resource(ResourceFieldSelector selector) throws ConfigFailure {
    return resource(named(String.valueOf(selector.getContainerName())), selector);
  }

  /**
   * The limit or request divided by the divisor, rounded up to a whole number: of the container the
   * selector names, else of the one given.
   */
  public String resource(Container own, ResourceFieldSelector selector) throws ConfigFailure {
    var name = selector.getContainerName();
    var container =
        name == null || name.isEmpty() || name.equals(own.getName()) ? own : named(name);
    var resource = selector.getResource();
    var amount = amount(container, resource);
    var divisor = divisor(selector.getDivisor());
    return amount.divide(divisor, 0, RoundingMode.CEILING).toBigInteger().toString();
  }

  private Container named(String name) throws ConfigFailure {
    var spec = pod.getSpec();
    return Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream())
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new ConfigFailure("container " + name + " not found"));
  }

  private BigDecimal amount(Container container, String resource) throws ConfigFailure {
    var resources = container.getResources();
    int dot = resource.indexOf('.');
    if (dot < 0) {
      throw new ConfigFailure("unsupported container resource: " + resource);
    }
    var name = resource.substring(dot + 1);
    return switch (resource.substring(0, dot)) {
      case "limits" -> {
        var limit = resources == null ? null : quantity(resources.getLimits(), name);
        yield limit == null ? allocatable(name, resource) : limit;
      }
      case "requests" -> {
        var request = resources == null ? null : quantity(resources.getRequests(), name);
        yield request == null ? BigDecimal.ZERO : request;
      }
      default -> throw new ConfigFailure("unsupported container resource: " + resource);
    };
  }

  private BigDecimal allocatable(String name, String resource) throws ConfigFailure {
    return switch (name) {
      case "cpu" -> facts.allocatableCpu();
      case "memory" -> facts.allocatableMemory();
      case "ephemeral-storage" -> BigDecimal.ZERO;
      default -> throw new ConfigFailure("unsupported container resource: " + resource);
    };
  }

  private static @Nullable BigDecimal quantity(
      @Nullable Map<String, Quantity> quantities, String name) {
    var quantity = quantities == null ? null : quantities.get(name);
    return quantity == null ? null : quantity.getNumericalAmount();
  }

  private static BigDecimal divisor(@Nullable Quantity divisor) {
    var amount = divisor == null ? BigDecimal.ONE : divisor.getNumericalAmount();
    return amount.signum() == 0 ? BigDecimal.ONE : amount; // "0" is the wire's default
  }

  /** {@code metadata.labels['x']} and {@code metadata.annotations['x']}. */
  private Optional<String> subscript(String path) {
    int open = path.indexOf("['");
    if (open < 0 || !path.endsWith("']")) {
      return Optional.empty();
    }
    var key = path.substring(open + 2, path.length() - 2);
    Map<String, String> map =
        switch (path.substring(0, open)) {
          case "metadata.labels" -> pod.getMetadata().getLabels();
          case "metadata.annotations" -> pod.getMetadata().getAnnotations();
          default -> null;
        };
    return map == null ? Optional.empty() : Optional.of(map.getOrDefault(key, ""));
  }

  /** One {@code key="value"} per line, sorted, as files of a downwardAPI volume show maps. */
  private static String lines(@Nullable Map<String, String> map) {
    return new TreeMap<>(map == null ? Map.of() : map)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + quoted(entry.getValue()))
            .collect(Collectors.joining("\n"));
  }

  private static String quoted(String text) {
    var out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        case '\r' -> out.append("\\r");
        default -> out.append(c);
      }
    }
    return out.append('"').toString();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
