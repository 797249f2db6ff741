package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestartAllTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final PodCondition.Type CONDITION = PodCondition.Type.ALL_CONTAINERS_RESTARTING;

  private static SimNode acc060() {
    return pod(NEVER)
        .i("init")
        .s("side")
        .c("src", exitAfter(42, Duration.ofSeconds(2)), forever())
        .pol(NEVER)
        .rules(all(42))
        .c("reg")
        .node();
  }

  @Test
  @Rule({"ACC-060", "RAC-01", "RAC-11", "RAC-20", "RAC-21", "RAC-32", "RAC-39", "JS-123"})
  void restarts_every_container_once_when_a_regular_container_asks_for_it() {
    var node = acc060();

    node.run(MINUTE);

    for (var name : List.of("init", "side", "src", "reg")) {
      assertThat(node.status(name).restartCount()).as(name).isEqualTo(1);
      assertThat(node.status(name).lastState()).as(name).isInstanceOf(Terminated.class);
    }
    assertThat(node.status("src").state()).isInstanceOf(Running.class);
    assertThat(node.status("reg").state()).isInstanceOf(Running.class);
    assertThat(node.startOrder())
        .containsExactly("init", "side", "src", "reg", "init", "side", "src", "reg");
    assertThat(node.sandboxes).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-067", "CND-01", "CND-02", "CND-03", "CND-10", "CND-11"})
  void shows_the_restart_in_the_condition() {
    var node = acc060();

    node.run(MINUTE);

    assertThat(node.conditionHistory(CONDITION)).containsExactly("False", "True", "False");
    var shown = node.history.stream().filter(s -> s.isTrue(CONDITION)).findFirst().orElseThrow();
    assertThat(shown.condition(CONDITION).orElseThrow().reason()).isEqualTo("ContainerExited");
    assertThat(shown.condition(CONDITION).orElseThrow().message())
        .isEqualTo("Container src exited with code 42, triggering pod restart");
    assertThat(node.status().condition(CONDITION).orElseThrow().reason()).isEmpty();
  }

  @Test
  @Rule({"RAC-35", "RAC-36", "ACC-068"})
  void stays_initialized_but_is_not_ready_meanwhile() {
    var node = acc060();

    node.run(MINUTE);

    assertThat(node.conditionHistory(PodCondition.Type.INITIALIZED))
        .containsExactly("False", "True");
    assertThat(node.conditionHistory(PodCondition.Type.READY))
        .containsExactly("False", "True", "False", "True");
  }

  @Test
  @Rule({"RAC-38", "ACC-108"})
  void is_pending_for_the_whole_restart() {
    var node = acc060();

    node.run(MINUTE);

    assertThat(node.phases()).containsExactly("Pending", "Running", "Pending", "Running");
  }

  @Test
  @Rule({"RAC-30", "RAC-31"})
  void keeps_the_real_exit_in_the_last_state() {
    var node = acc060();

    node.run(MINUTE);

    var last = (Terminated) node.status("src").lastState();
    assertThat(last.exitCode()).isEqualTo(42);
    assertThat(last.reason()).isEqualTo("RestartingAllContainers");
    assertThat(last.containerId()).isEqualTo(new ContainerId("src-0"));
    assertThat(((Terminated) node.status("reg").lastState()).exitCode()).isEqualTo(143);
    assertThat(((Terminated) node.status("init").lastState()).exitCode()).isZero();
  }

  @Test
  @Rule({"RAC-10", "RAC-12"})
  void remembers_then_stops_then_removes_sources_last() {
    var node = acc060();

    node.run(MINUTE);

    var order =
        node.done.stream()
            .filter(e ->
                e instanceof Effect.Remember
                    || e instanceof Effect.Signal
                    || e instanceof Effect.Remove)
            .map(e -> e instanceof Effect.Remove(var ids) ? "remove " + ids : name(e))
            .toList();
    assertThat(order)
        .containsExactly(
            "Remember",
            "Signal",
            "Signal",
            "remove [reg-0, init-0, side-0]",
            "remove [src-0]",
            "Remember",
            "Remember");
  }

  private static String name(Effect effect) {
    return effect.getClass().getSimpleName();
  }

  @Test
  @Rule({"ACC-061", "DEC-41"})
  void restarts_everything_when_a_sidecar_asks_for_it() {
    var node =
        pod(NEVER)
            .i("init")
            .s("side")
            .s("src", exitAfter(42, Duration.ofSeconds(30)), forever())
            .rules(all(42))
            .c("reg")
            .node();

    node.run(Duration.ofMinutes(2));

    for (var name : List.of("init", "side", "src", "reg")) {
      assertThat(node.status(name).restartCount()).as(name).isEqualTo(1);
    }
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"ACC-062", "DEC-37", "RAC-62"})
  void leaves_containers_that_never_ran_at_zero() {
    var node =
        pod(NEVER)
            .s("side")
            .i("init")
            .i("src", exit(42), exit(0))
            .pol(NEVER)
            .rules(all(42))
            .c("reg")
            .node();

    node.run(MINUTE);

    for (var name : List.of("side", "init", "src")) {
      assertThat(node.status(name).restartCount()).as(name).isEqualTo(1);
    }
    assertThat(node.status("reg").restartCount()).isZero();
    assertThat(node.status("reg").state()).isInstanceOf(Running.class);
    assertThat(node.phases()).containsExactly("Pending", "Running");
  }

  @Test
  @Rule({"ACC-064", "RAC-04", "RAC-61"})
  void does_not_take_a_victims_end_for_a_trigger() {
    var node =
        pod(NEVER)
            .c("src", exitAfter(42, Duration.ofSeconds(10)), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("reg", forever().onSignal(Duration.ZERO, 42))
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(Duration.ofMinutes(2));

    assertThat(node.status("src").restartCount()).isEqualTo(1);
    assertThat(node.status("reg").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-065", "RAC-11"})
  void removes_older_runs_too() {
    var node =
        pod(ALWAYS)
            .c("src", exit(1), exit(42), forever())
            .pol(ALWAYS)
            .rules(all(42))
            .c("reg")
            .node();

    node.run(MINUTE);

    assertThat(node.status("src").restartCount()).isEqualTo(2);
    assertThat(node.status("reg").restartCount()).isEqualTo(1);
    assertThat(node.records.keySet())
        .containsExactlyInAnyOrder(new ContainerId("src-2"), new ContainerId("reg-1"));
  }

  @Test
  @Rule({"ACC-066", "RAC-19"})
  void restarts_a_single_container_at_once() {
    var node = pod(NEVER).c("src", exit(42), forever()).pol(NEVER).rules(all(42)).node();

    node.run(MINUTE);

    assertThat(node.started.get(1).startedAt).isEqualTo(node.started.get(0).finishedAt);
  }

  @Test
  @Rule({"ACC-069", "ACC-070", "ACC-119", "RAC-03", "RAC-63"})
  void runs_containers_again_that_had_ended_for_good() {
    var node =
        pod(NEVER)
            .c("src", exitAfter(42, Duration.ofSeconds(5)), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("ok", exit(0))
            .pol(NEVER)
            .c("bad", exit(3), forever())
            .pol(NEVER)
            .node();

    node.run(MINUTE);

    assertThat(node.status("ok").restartCount()).isEqualTo(1);
    assertThat(node.status("bad").restartCount()).isEqualTo(1);
    assertThat(node.phases()).doesNotContain("Failed", "Succeeded");
  }

  @Test
  @Rule({"RAC-62", "RAC-67"})
  void what_never_ran_is_not_lost_when_an_init_source_fails_at_last() {
    var node = pod(NEVER).i("src", exit(0), exit(3)).pol(NEVER).rules(all(0)).c("m").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status("m").state()).isEqualTo(new Waiting("PodInitializing", ""));
  }

  @Test
  @Rule({"ACC-071", "RAC-22", "RAC-67", "CND-04"})
  void fails_the_pod_when_init_fails_for_good_after_the_trigger() {
    var node =
        pod(NEVER)
            .i("init", exit(0), exit(1))
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("init", "src", "init");
    var src = (Terminated) node.status("src").state();
    assertThat(src.reason()).isEqualTo("ContainerStatusUnknown");
    assertThat(src.exitCode()).isEqualTo(137);
    assertThat(src.message())
        .isEqualTo("The container could not be located when the pod was terminated");
    assertThat(node.status().condition(CONDITION).orElseThrow().reason()).isEqualTo("PodFailed");
  }

  @Test
  @Rule({"ACC-072", "RAC-22"})
  void lets_init_try_again_after_the_trigger_where_the_policy_allows() {
    var node =
        pod(ALWAYS)
            .i("init", exit(0), exit(1), exit(1), exit(0))
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(Duration.ofMinutes(5));

    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    assertThat(node.status("init").restartCount()).isEqualTo(3);
    assertThat(node.status("src").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-074", "RAC-51", "RAC-23"})
  void slows_a_pod_down_that_restarts_again_and_again() {
    var node = pod(NEVER).i("q").c("m", exit(42)).pol(NEVER).rules(all(42)).node();

    node.run(Duration.ofMinutes(5));

    var starts = node.started.stream().filter(r -> r.container.equals("q")).toList();
    var waits =
        java.util.stream.IntStream.range(1, 5)
            .mapToObj(n -> {
              var trigger =
                  node.started.stream().filter(r -> r.container.equals("m")).toList().get(n - 1);
              return Duration.between(trigger.finishedAt, starts.get(n).startedAt).toSeconds();
            })
            .toList();
    assertThat(waits).containsExactly(0L, 10L, 20L, 40L);
    assertThat(node.eventTexts("BackOff"))
        .isNotEmpty()
        .allMatch(t -> t.equals("Back-off restarting all containers in pod p_ns(uid-1)"));
  }

  @Test
  @Rule({"RAC-51"})
  void waits_in_crash_loop_back_off_with_the_condition_false() {
    var node = pod(NEVER).c("m", exit(42)).pol(NEVER).rules(all(42)).node();

    node.run(Duration.ofSeconds(5));

    assertThat(node.status("m").state())
        .isEqualTo(
            new ContainerState.Waiting(
                "CrashLoopBackOff", "back-off 10s restarting all containers pod=p_ns(uid-1)"));
    assertThat(node.status().isTrue(CONDITION)).isFalse();
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
  }
}
