package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.api.yaml.YamlFailure;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The controller's configuration file: JobSet's own kind (JS-171), so that a file written for the
 * released controller serves here, too. What it says and nobody would heed is refused.
 */
public final class ControllerFile {

  /** What JobSet's own controller does not know (JS-136, JS-160). */
  private static final Set<String> OURS = Set.of("podForceFailAfter", "failOnNodeUnreachable");

  private static final String VERSION = "config.jobset.x-k8s.io/v1alpha1";

  /** Every field there is, by its section. */
  private static final Map<String, Set<String>> FIELDS =
      Map.of(
          "webhook", Set.of("host", "port", "certDir"),
          "health", Set.of("healthProbeBindAddress"),
          "metrics", Set.of("bindAddress"),
          "leaderElection",
              Set.of(
                  "leaderElect",
                  "leaseDuration",
                  "renewDeadline",
                  "retryPeriod",
                  "resourceLock",
                  "resourceName",
                  "resourceNamespace"),
          "internalCertManagement", Set.of("enable", "webhookServiceName", "webhookSecretName"),
          "clientConnection", Set.of("qps", "burst"),
          "tls", Set.of("minVersion", "cipherSuites"));

  private final String name;
  private final ObjectNode root;

  private ControllerFile(String name, ObjectNode root) {
    this.name = name;
    this.root = root;
  }

  /** An empty one when none is named. */
  public static ControllerFile read(@Nullable Path file) throws CliFailure {
    if (file == null) {
      return new ControllerFile("", Wire.object());
    }
    try {
      var documents = YamlDocuments.read(Files.readAllBytes(file));
      if (documents.isEmpty() || !(documents.getFirst().root() instanceof ObjectNode root)) {
        throw new CliFailure(file + ": is empty");
      }
      var read = new ControllerFile(file.toString(), root);
      read.check();
      return read;
    } catch (YamlFailure e) {
      throw new CliFailure("%s:%s: %s".formatted(file, e.position(), e.problem()), e);
    } catch (IOException e) {
      throw new CliFailure(file + ": cannot be read: " + Reason.of(e), e);
    }
  }

  private void check() throws CliFailure {
    if (!Trees.text(root, "apiVersion").equals(VERSION)
        || !Trees.text(root, "kind").equals("Configuration")) {
      throw wrong("is no Configuration of " + VERSION);
    }
    for (String section : Trees.keys(root)) {
      switch (section) {
        case "apiVersion", "kind", "featureGates" -> {}
        default -> {
          if (!OURS.contains(section)) {
            check(section, FIELDS.get(section));
          }
        }
      }
    }
    if (!text("leaderElection", "resourceLock").orElse("leases").equals("leases")) {
      throw wrong("leaderElection.resourceLock: only \"leases\" are supported");
    }
  }

  private void check(String section, @Nullable Set<String> known) throws CliFailure {
    if (known == null) {
      throw wrong(
          "unknown field \"%s\" (known: %s, featureGates, failOnNodeUnreachable, podForceFailAfter)"
              .formatted(
                  section, FIELDS.keySet().stream().sorted().collect(Collectors.joining(", "))));
    }
    for (String field : Trees.keys(root, section)) {
      if (!known.contains(field)) {
        throw wrong(
            "unknown field \"%s.%s\" (known: %s)"
                .formatted(section, field, String.join(", ", known.stream().sorted().toList())));
      }
    }
  }

  public Optional<String> text(String section, String field) {
    JsonNode value = root.path(section).path(field);
    return value.isValueNode() && !value.isNull() ? Optional.of(value.asText()) : Optional.empty();
  }

  /** A field of no section. */
  public Optional<String> text(String field) {
    JsonNode value = root.path(field);
    return value.isValueNode() && !value.isNull() ? Optional.of(value.asText()) : Optional.empty();
  }

  public List<String> texts(String section, String field) {
    return Trees.texts(root, section, field);
  }

  /** As the flag has them: {@code A=true,B=false}. */
  public String gates() {
    var gates = new ArrayList<String>();
    root.path("featureGates")
        .properties()
        .forEach(gate -> gates.add(gate.getKey() + "=" + gate.getValue().asText()));
    return String.join(",", gates);
  }

  CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, name + ": " + problem, null);
  }
}
