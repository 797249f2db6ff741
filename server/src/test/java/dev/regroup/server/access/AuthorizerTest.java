package dev.regroup.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may do what, as the union of authorizers says. */
class AuthorizerTest {
  private static final Identity ALICE = Identity.of("alice", Identity.AUTHENTICATED);
  private static final Authorizer NOBODY = _ -> new Authorization.NoOpinion("no role of alice");
  private static final Authorizer EVERYBODY = _ -> new Authorization.Allow("by role");
  private static final Authorizer NEVER = _ -> new Authorization.Deny("not on Sundays");

  @Test
  void the_first_opinion_counts() {
    assertThat(decide(NOBODY, EVERYBODY, NEVER)).isEqualTo(new Authorization.Allow("by role"));
    assertThat(decide(NOBODY, NEVER, EVERYBODY))
        .isEqualTo(new Authorization.Deny("not on Sundays"));
  }

  @Test
  void without_an_opinion_all_reasons_are_told() {
    Authorizer quiet = _ -> new Authorization.NoOpinion("");

    assertThat(decide(NOBODY, quiet, _ -> new Authorization.NoOpinion("no node")))
        .isEqualTo(new Authorization.NoOpinion("no role of alice, no node"));
  }

  @Test
  void after_an_opinion_nobody_else_is_asked() {
    var asked = new ArrayList<String>();
    Authorizer late =
        _ -> {
          asked.add("late");
          return new Authorization.Allow("");
        };

    decide(NEVER, late);

    assertThat(asked).isEmpty();
  }

  @Test
  void the_administrator_may_everything() {
    var superusers = new Superusers();

    assertThat(superusers.decide(attributes(Identity.admin(), Attributes.IMPERSONATE, "users")))
        .isEqualTo(new Authorization.Allow(""));
    assertThat(superusers.decide(attributes(ALICE, "get", "pods")))
        .isEqualTo(new Authorization.NoOpinion(""));
  }

  private static Authorization decide(Authorizer... links) {
    return Authorizer.union(List.of(links)).decide(attributes(ALICE, "get", "pods"));
  }

  private static Attributes attributes(Identity who, String verb, String resource) {
    return new Attributes(who, verb, "", "v1", resource, "", "default", "", "");
  }
}
