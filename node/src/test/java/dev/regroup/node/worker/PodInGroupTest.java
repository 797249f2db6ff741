package dev.regroup.node.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.group.GroupOrders;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A pod that is a member of a group (jobset.md 7.5). */
class PodInGroupTest extends OnePod {

  /** JS-149. */
  @Test
  void a_group_whose_restarts_are_switched_off_and_on_again_goes_on_running() throws Exception {
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    orders = GroupOrders.BYPASS;
    runtime.move(UID, "10.9.0.8"); // whoever sees the address has seen the orders
    await(s -> s.path("podIP").asText().equals("10.9.0.8"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    runtime.move(UID, "10.9.0.9");
    var status = await(s -> s.path("podIP").asText().equals("10.9.0.9"));

    assertThat(condition(status, "Ready")).isEqualTo("True");
    assertThat(count(status, "w")).isZero();
    assertThat(attempt()).isEqualTo("1");
  }

  /** JS-166. */
  @Test
  void a_member_of_a_group_waits_for_the_barrier_and_obeys_the_group_order() throws Exception {
    orders = GroupOrders.of(OptionalInt.empty(), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("0"));
    assertThat(annotation("jobset.sigs.k8s.io/epoch")).contains("1");

    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));
    pokes.poke();
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    var status = await(s -> condition(s, "Ready").equals("True"));

    assertThat(count(status, "w")).isEqualTo(1);
    var again = runtime.started().getLast();
    assertThat(again.env()).containsEntry("JOBSET_RESTART_ATTEMPT", "1").containsEntry("RANK", "7");
    assertThat(directory.resolve("pods/u1/group/attempt")).hasContent("1\n");
  }

  /** JS-165: two writes less for each pod of a group, where all wait for the last of them. */
  @Test
  void the_barrier_is_told_with_the_attempt_and_shown_until_the_worker_runs() throws Exception {
    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("1"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));
    orders = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(1));
    pokes.poke();
    await(s -> waiting(s, "w").equals("WaitingForBarrier") && attempt().equals("2"));
    orders = GroupOrders.of(OptionalInt.of(2), OptionalInt.of(1));
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True") && count(s, "w") == 1);

    assertThat(statuses().stream().map(s -> waiting(s, "w")).filter(reason -> !reason.isEmpty()))
        .startsWith("ContainerCreating")
        .endsWith("WaitingForBarrier");
    assertThat(tellings("WaitingForBarrier")).containsExactly("1", "2");
  }

  /** The attempt that each status carries in which {@code w} waits for this reason. */
  private List<String> tellings(String reason) {
    return transport.sent().stream()
        .filter(sent -> waiting(sent.body().path("status"), "w").equals(reason))
        .map(sent ->
            sent.body()
                .at("/metadata/annotations/jobset.sigs.k8s.io~1in-place-restart-attempt")
                .asText())
        .toList();
  }

  /** JS-168: a service called master has a variable that means something else. */
  @Test
  void what_a_worker_is_told_about_its_group_wins_over_services() throws Exception {
    known.put("ns/master", "{\"clusterIP\": \"10.96.3.4\", \"ports\": [{\"port\": 80}]}");
    orders = GroupOrders.of(OptionalInt.empty(), OptionalInt.empty());
    start(member(container("w", "sleep", "")));
    await(s -> waiting(s, "w").equals("WaitingForBarrier"));

    orders = GroupOrders.of(OptionalInt.of(0), OptionalInt.empty());
    pokes.poke();
    await(s -> condition(s, "Ready").equals("True"));

    assertThat(runtime.started().getLast().env())
        .containsEntry("MASTER_SERVICE_HOST", "10.96.3.4")
        .containsEntry("MASTER_PORT", "29500");
  }
}
