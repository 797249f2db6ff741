package dev.regroup.server.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What somebody lacks of what they want to give. */
class RuleCoverTest {

  @Test
  void tells_what_is_missing_verb_by_verb() {
    var held = List.of(rule(List.of("get"), "", "pods"));
    var wanted =
        List.of(
            new PolicyRule(
                List.of("get", "delete"),
                List.of(""),
                List.of("pods", "secrets"),
                List.of(),
                List.of()));

    assertThat(RuleCover.text(RuleCover.missing(held, wanted)))
        .isEqualTo(
            """
            {APIGroups:[""], Resources:["pods"], Verbs:["delete"]}
            {APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}\
            """);
  }

  @Test
  void an_asterisk_covers_everything_and_is_covered_by_an_asterisk_only() {
    var all = PolicyRule.FULL_AUTHORITY;
    var pods = List.of(rule(List.of("*"), "", "pods"));

    assertThat(RuleCover.missing(all, pods)).isEmpty();
    assertThat(RuleCover.missing(pods, all)).hasSize(2);
  }

  @Test
  void a_part_of_all_resources_covers_that_part_of_one() {
    var status = List.of(rule(List.of("patch"), "*", "*/status"));

    assertThat(RuleCover.missing(status, List.of(rule(List.of("patch"), "", "pods/status"))))
        .isEmpty();
    assertThat(RuleCover.missing(status, List.of(rule(List.of("patch"), "", "pods")))).hasSize(1);
  }

  @Test
  void a_right_to_one_name_is_no_right_to_all() {
    var one =
        List.of(
            new PolicyRule(
                List.of("get"), List.of(""), List.of("secrets"), List.of("mine"), List.of()));

    assertThat(RuleCover.missing(one, List.of(rule(List.of("get"), "", "secrets")))).hasSize(1);
    assertThat(RuleCover.missing(one, one)).isEmpty();
  }

  private static PolicyRule rule(List<String> verbs, String group, String resource) {
    return new PolicyRule(verbs, List.of(group), List.of(resource), List.of(), List.of());
  }
}
