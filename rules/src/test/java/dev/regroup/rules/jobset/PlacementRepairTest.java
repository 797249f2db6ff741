package dev.regroup.rules.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.jobset.ExclusivePlace.Role;
import dev.regroup.rules.jobset.PlacementRepair.Member;
import dev.regroup.rules.jobset.PlacementRepair.Moves;
import dev.regroup.rules.jobset.PlacementRepair.Presence;
import dev.regroup.rules.jobset.PlacementRepair.Stands;
import dev.regroup.rules.jobset.PlacementRepair.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

@Rule("JS-91b")
class PlacementRepairTest {

  private static final Map<String, String> RACKS = Map.of("n1", "r1", "n2", "r2");

  private static final Member LEADER = leader("n1", Presence.STAYS);

  @Test
  void pods_in_the_domain_of_their_leader_stay() {
    assertThat(repair(LEADER, follower("a", "r1"), follower("b", "r1"))).isEqualTo(new Stands());
  }

  @Test
  @Rule({"JS-91b", "AS-39"})
  void one_that_is_elsewhere_takes_all_followers_along_and_the_leader_stays() {
    assertThat(repair(LEADER, follower("a", "r1"), follower("b", "r2")))
        .isEqualTo(new Moves(LEADER, "r1", Set.of("a", "b")));
  }

  @Test
  void a_follower_that_was_sent_nowhere_is_elsewhere() {
    assertThat(repair(LEADER, follower("a", ""))).isEqualTo(new Moves(LEADER, "r1", Set.of("a")));
  }

  @Test
  void nothing_is_asked_of_a_leader_that_has_no_node_or_leads_no_longer() {
    var away = follower("a", "r2");

    assertThat(repair(leader("", Presence.STAYS), away)).isEqualTo(new Stands());
    assertThat(repair(leader("n1", Presence.LEAVES), away)).isEqualTo(new Stands());
    assertThat(repair(away)).isEqualTo(new Stands());
  }

  @Test
  void nobody_goes_while_it_cannot_be_said_where_the_leader_is() {
    var lost = leader("gone", Presence.STAYS);

    assertThat(repair(lost, follower("a", "r1"))).isEqualTo(new Unknown("gone"));
    assertThat(repair(lost)).as("a leader without followers").isEqualTo(new Stands());
  }

  @Test
  void who_leaves_anyway_is_not_told_again_and_harms_nobody() {
    var leaving = new Member("a", place(Role.FOLLOWER, "r2"), "n2", Presence.LEAVES);

    assertThat(repair(LEADER, leaving, follower("b", "r1"))).isEqualTo(new Stands());
    assertThat(repair(LEADER, leaving, follower("b", "r2")))
        .isEqualTo(new Moves(LEADER, "r1", Set.of("b")));
  }

  /** AS-38: a leader that failed lies beside the one that came after it. */
  @Test
  void followers_are_measured_by_the_leader_that_lives() {
    var failed = leader("n2", Presence.LEAVES);

    assertThat(repair(failed, LEADER, follower("a", "r1"))).isEqualTo(new Stands());
    assertThat(repair(failed, LEADER, follower("a", "r2")))
        .isEqualTo(new Moves(LEADER, "r1", Set.of("a")));
  }

  private static PlacementRepair repair(Member... job) {
    return PlacementRepair.of(
        List.of(job), (node, topology) -> Optional.ofNullable(RACKS.get(node)));
  }

  private static Member leader(String node, Presence presence) {
    return new Member("leader-" + node, place(Role.LEADER, ""), node, presence);
  }

  private static Member follower(String uid, String domain) {
    return new Member(uid, place(Role.FOLLOWER, domain), "", Presence.STAYS);
  }

  private static ExclusivePlace place(Role role, String domain) {
    return new ExclusivePlace(role, "rack", domain);
  }
}
