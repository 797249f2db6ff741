package dev.regroup.rules.group;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.GroupPod.Meaning;
import dev.regroup.rules.group.GroupPod.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The part of a container's spec that says what it is to its group and what its exits mean there
 * (JS-160). Judged by the same rules, gates and decision as on the node (node.md DEC-10), so that
 * both say the same of one exit. Made once per revision of a pod.
 *
 * @param gates those of the nodes
 */
public record ContainerTerms(
    Kind kind,
    Set<RuleGate> gates,
    RestartPolicy podPolicy,
    RestartPolicy ownPolicy,
    List<ExitRule> rules) {

  /** What the spec shows a container to be; agents by the marks of JS-57a. */
  public enum Kind {
    INIT,
    SIDECAR,
    /** A sidecar that is an agent (JS-130). */
    AGENT,
    REGULAR,
    /** Main-container and process mode: the agent is the worker (JS-132, JS-132a). */
    AGENT_AND_WORKER
  }

  /** A container's status, as the pod shows it. */
  public record Shown(
      int restartCount, boolean running, Optional<End> ended, Optional<End> last, String waits) {

    /** Of a container that the status does not know yet. */
    public static final Shown NOTHING = new Shown(0, false, Optional.empty(), Optional.empty(), "");
  }

  /** State terminated, as the pod shows it. */
  public record End(int exitCode, String reason, String text, @Nullable Instant at) {}

  private static final String BY_CYCLE = "RestartingAllContainers";
  private static final String OUT_OF_MEMORY = "OOMKilled";
  private static final int HIGHEST_CODE = 255;

  public ContainerTerms {
    gates = Set.copyOf(gates);
    rules = List.copyOf(rules);
  }

  /** The roles of a pod's containers, init containers first, each list in its order. */
  public static List<Role> roles(List<ContainerTerms> containers) {
    var roles = new ArrayList<Role>();
    boolean beforeAgent = true;
    for (var container : containers) {
      beforeAgent &= container.kind != Kind.AGENT;
      roles.add(
          switch (container.kind) {
            case INIT -> beforeAgent ? Role.INIT : Role.HELPER;
            case SIDECAR -> Role.HELPER;
            case AGENT -> Role.AGENT;
            case REGULAR -> container.canFail() ? Role.WORKER : Role.HELPER;
            case AGENT_AND_WORKER -> Role.WORKER;
          });
    }
    return roles;
  }

  /** The container with its ends judged. */
  public GroupPod.Container judge(String name, Role role, Shown shown) {
    boolean newEpoch = shown.last().map(end -> end.reason().equals(BY_CYCLE)).orElse(true);
    return new GroupPod.Container(
        name,
        role,
        shown.restartCount(),
        shown.running(),
        shown.ended().map(end -> judge(end, newEpoch ? 0 : 1)),
        shown.last().map(end -> judge(end, 0)),
        shown.waits());
  }

  /**
   * Judges an end.
   *
   * @param restarts in its restart epoch, as far as the status proves them (COND-02): a sign that
   *     comes late does no harm, one that was none would restart everybody
   */
  private GroupPod.Ended judge(End end, int restarts) {
    var cause = end.reason().equals(OUT_OF_MEMORY) ? Exit.Cause.OUT_OF_MEMORY : Exit.Cause.ORDINARY;
    return new GroupPod.Ended(
        end.exitCode(),
        meaning(new Exit(end.exitCode(), cause, restarts)),
        end.reason().equals(BY_CYCLE),
        end.text(),
        end.at());
  }

  /** Exit code 0 is never a failure; of an agent every other code is one. */
  Meaning meaning(Exit exit) {
    if (exit.code() == 0) {
      return Meaning.NOTHING;
    }
    return switch (ExitDecision.of(gates, podPolicy, ownPolicy, rules, exit)) {
      case ExitDecision.RestartAll _ -> Meaning.RESTARTS_ALL;
      case ExitDecision.Stay _, ExitDecision.TerminatePod _ -> Meaning.FAILS_POD;
      case ExitDecision.Restart _, ExitDecision.Complete _ ->
          switch (kind) {
            case AGENT, AGENT_AND_WORKER -> Meaning.RESTARTS_ALL;
            case INIT, SIDECAR, REGULAR -> Meaning.NOTHING;
          };
    };
  }

  /** A worker is a container that ends for good or restarts all after some exit (JS-160). */
  private boolean canFail() {
    return exits().stream().anyMatch(exit -> meaning(exit) != Meaning.NOTHING);
  }

  /** One exit of each sort that the rules tell apart: all others are judged like one of them. */
  private List<Exit> exits() {
    var codes = new TreeSet<Integer>();
    var restarts = new TreeSet<>(List.of(0));
    for (var rule : rules) {
      switch (rule.condition()) {
        case ExitRule.Condition.ExitCodes(_, var values) -> codes.addAll(values);
        case ExitRule.Condition.RestartTimes(int atLeast) -> restarts.add(atLeast);
        case ExitRule.Condition.OomKill _, ExitRule.Condition.AnyExit _ -> {}
      }
    }
    codes.removeIf(code -> code < 1 || code > HIGHEST_CODE);
    int other = 1;
    while (codes.contains(other)) {
      other++;
    }
    if (other <= HIGHEST_CODE) {
      codes.add(other);
    }
    var exits = new ArrayList<Exit>();
    for (int code : codes) {
      for (int times : restarts) {
        for (var cause : Exit.Cause.values()) {
          exits.add(new Exit(code, cause, times));
        }
      }
    }
    return exits;
  }
}
