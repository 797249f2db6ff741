package dev.regroup.server.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.resource.Meta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a start makes of roles that somebody has changed. */
class DefaultRolesTest {

  @Test
  void what_was_taken_away_comes_back_and_what_was_added_stays() {
    var wanted = named("system:basic-user", "ClusterRole");
    var stored = wanted.deepCopy();
    var added = new PolicyRule(List.of("get"), List.of(""), List.of("pods"), List.of(), List.of());
    stored.putArray("rules").add(added.toTree());

    var next = DefaultRoles.reconciled(stored, wanted);

    var rules = PolicyRule.listOf(next);
    assertThat(rules).contains(added);
    assertThat(RuleCover.missing(rules, PolicyRule.listOf(wanted))).isEmpty();
  }

  @Test
  void what_is_complete_stays_as_it_is() {
    for (var role : DefaultRoles.all()) {
      assertThat(DefaultRoles.reconciled(role, role)).isEqualTo(role);
    }
  }

  @Test
  void a_subject_that_was_taken_away_comes_back() {
    var wanted = named("system:public-info-viewer", "ClusterRoleBinding");
    var stored = wanted.deepCopy();
    ((com.fasterxml.jackson.databind.node.ArrayNode) stored.path("subjects")).remove(0);

    var next = DefaultRoles.reconciled(stored, wanted);

    assertThat(Trees.objects(next, "subjects"))
        .containsExactlyInAnyOrderElementsOf(Trees.objects(wanted, "subjects"));
  }

  private static ObjectNode named(String name, String kind) {
    return DefaultRoles.all().stream()
        .filter(one -> Meta.name(one).equals(name) && Trees.text(one, "kind").equals(kind))
        .findFirst()
        .orElseThrow();
  }
}
