package dev.regroup.control.owners;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.control.owners.OwnerGraph.Work;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Owner graph (JB-93, JB-116)")
class OwnerGraphTest {

  private final OwnerGraph graph = new OwnerGraph();

  @Test
  void an_object_whose_owner_is_unknown_is_to_be_confirmed_and_deleted() {
    var pod = thing("pod", Set.of(), false, owner("job", true));
    graph.put(pod);

    assertThat(graph.work("pod")).isEqualTo(new Work.DeleteIfOwnersAreGone(pod));
  }

  @Test
  void removing_an_owner_asks_to_look_at_its_dependents() {
    graph.put(thing("job", Set.of(), false));
    graph.put(thing("pod", Set.of(), false, owner("job", true)));
    assertThat(graph.work("pod")).isEqualTo(new Work.Nothing());

    assertThat(graph.remove("job")).containsExactly("pod");
  }

  @Test
  void one_living_owner_is_enough() {
    graph.put(thing("a", Set.of(), false));
    graph.put(thing("pod", Set.of(), false, owner("a", false), owner("gone", false)));

    assertThat(graph.work("pod")).isEqualTo(new Work.Nothing());
  }

  @Test
  void a_foreground_deletion_deletes_dependents_and_waits_for_those_that_block() {
    var pod = thing("pod", Set.of(), false, owner("job", true));
    var hanging = thing("job", Set.of(Thing.FOREGROUND), true);
    graph.put(thing("job", Set.of(), false));
    graph.put(pod);

    assertThat(graph.put(hanging)).contains("job", "pod");

    assertThat(graph.work("pod")).isEqualTo(new Work.DeleteForOwner(pod));
    assertThat(graph.work("job")).isEqualTo(new Work.Nothing());
    assertThat(graph.remove("pod")).contains("job");
    assertThat(graph.work("job")).isEqualTo(new Work.RemoveFinalizer(hanging, Thing.FOREGROUND));
  }

  @Test
  void who_would_wait_in_a_circle_no_longer_blocks_its_owner() {
    var third = thing("third", Set.of(), false, owner("second", true));
    graph.put(thing("first", Set.of(Thing.FOREGROUND), true, owner("third", true)));
    graph.put(thing("second", Set.of(Thing.FOREGROUND), true, owner("first", true)));
    graph.put(third);

    assertThat(graph.work("third")).isEqualTo(new Work.Unblock(third));

    var unblocking = thing("third", Set.of(), false, owner("second", false));
    assertThat(graph.put(unblocking)).contains("second", "third");
    assertThat(graph.work("third")).isEqualTo(new Work.DeleteForOwner(unblocking));
    assertThat(graph.work("second")).isInstanceOf(Work.RemoveFinalizer.class);
  }

  @Test
  void an_owner_whose_dependents_are_not_seen_yet_is_looked_at_again() {
    var hanging = thing("job", Set.of(Thing.FOREGROUND), true);
    graph.put(hanging);

    assertThat(graph.work("job")).isEqualTo(new Work.LookAgain());
    graph.lookedAgain("job");
    assertThat(graph.work("job")).isEqualTo(new Work.RemoveFinalizer(hanging, Thing.FOREGROUND));

    graph.put(thing("pod", Set.of(), false, owner("job", true)));
    assertThat(graph.work("job")).as("one came meanwhile").isEqualTo(new Work.Nothing());
  }

  @Test
  void a_foreground_deletion_does_not_wait_for_those_that_do_not_block() {
    graph.put(thing("pod", Set.of(), false, owner("job", false)));
    var hanging = thing("job", Set.of(Thing.FOREGROUND), true);
    graph.put(hanging);

    assertThat(graph.work("job")).isEqualTo(new Work.RemoveFinalizer(hanging, Thing.FOREGROUND));
  }

  @Test
  void orphaning_is_the_same_work_whether_its_dependents_are_known_here_or_not() {
    var hanging = thing("job", Set.of(Thing.ORPHAN), true);
    graph.put(hanging);

    assertThat(graph.work("job")).isEqualTo(new Work.Orphan(hanging));

    graph.put(thing("pod", Set.of(), false, owner("job", true)));
    assertThat(graph.work("job")).isEqualTo(new Work.Orphan(hanging));
  }

  @Test
  void counts_the_objects_of_a_namespace() {
    graph.put(thing("a", Set.of(), false));
    graph.put(thing("a", Set.of(), false));
    graph.put(thing("b", Set.of(), false));
    graph.remove("a");

    assertThat(graph.inNamespace("ns")).isEqualTo(1);
  }

  @Test
  void names_the_path_of_an_object() {
    assertThat(thing("p", Set.of(), false).path()).isEqualTo("/api/v1/namespaces/ns/pods/p");
  }

  private static Thing.Owner owner(String uid, boolean blocking) {
    return new Thing.Owner("batch/v1", "Job", uid, uid, blocking);
  }

  private static Thing thing(
      String uid, Set<String> finalizers, boolean deleting, Thing.Owner... owners) {
    return new Thing("/api/v1/pods", "ns", uid, uid, List.of(owners), finalizers, deleting);
  }
}
