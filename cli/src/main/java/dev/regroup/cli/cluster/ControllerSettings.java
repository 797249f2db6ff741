package dev.regroup.cli.cluster;

import dev.regroup.api.Gates;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.client.lease.LeaderLease;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.server.https.ListenerSettings.TlsLimits;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * How the controller of a cluster runs.
 *
 * @param namespace its own: of its lease and its secret
 * @param metrics where figures are shown; nowhere when empty
 * @param health where probes ask; nowhere when empty
 * @param nodeLoss what is done about pods of nodes that the cluster holds for unreachable
 */
public record ControllerSettings(
    String namespace,
    Gates gates,
    Manage manage,
    InetSocketAddress webhook,
    Optional<InetSocketAddress> metrics,
    Optional<InetSocketAddress> health,
    Election election,
    Certificates certificates,
    Agents agents,
    NodeLossSettings nodeLoss,
    Rate rate,
    TlsLimits tls) {

  /** Which JobSets are run. */
  public enum Manage {
    /** All where the JobSet definition is Regroup's, else those that name Regroup. */
    AUTO,
    ALL,
    MARKED
  }

  /**
   * One leader among several replicas.
   *
   * @param times empty when there is no election: then only one replica may run
   */
  public record Election(
      Optional<LeaderLease.Times> times, String namespace, String name, String identity) {}

  /**
   * Where the webhook's certificate comes from.
   *
   * @param directory with {@code tls.crt} and {@code tls.key} that somebody else keeps; without it
   *     they are made here and kept in the secret
   * @param secret its name
   * @param names the webhook is reached by: of its service, and others
   * @param lives of those that are made here, and of the files
   */
  public record Certificates(
      Optional<Path> directory, String secret, Set<String> names, Lives lives) {
    public Certificates {
      names = Set.copyOf(names);
    }
  }

  /**
   * How long certificates live, and how their change is paced.
   *
   * @param valid from their making to their end
   * @param renewal how long before that end a new one is made
   * @param trust how long the API server gets to learn of a new authority before it meets it
   * @param reread how often a directory is read that somebody else keeps
   */
  public record Lives(Duration valid, Duration renewal, Duration trust, Duration reread) {
    public static final Lives STANDARD =
        new Lives(
            Duration.ofDays(365),
            Duration.ofDays(90),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1));
  }

  /** Who makes the service account of agents in a namespace. */
  public enum Accounts {
    CONTROLLER,
    ELSEWHERE
  }

  /**
   * What is added to pods.
   *
   * @param kind {@link AgentInjection#SIDECAR} or another; empty: what the cluster's nodes can do
   */
  public record Agents(String image, Optional<String> kind, Accounts accounts) {}

  /** How often the API server is asked. */
  public record Rate(double perSecond, int burst) {}
}
