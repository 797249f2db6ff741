package dev.regroup.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who asks, as the chain of authenticators finds out. */
class AuthenticatorTest {
  private static final Optional<PeerCertificate> ALICE =
      Optional.of(new PeerCertificate("alice", List.of("dev")));

  private final Authenticator standard = Authenticator.standard(_ -> new Authentication.NotMine());

  @Test
  void a_certificate_names_a_user_who_is_known() {
    var found = standard.authenticate(Credentials.remote(ALICE, Optional.of("a token")));

    assertThat(found)
        .isEqualTo(new Authentication.Proven(Identity.of("alice", "dev", Identity.AUTHENTICATED)));
  }

  @Test
  void a_part_of_this_process_is_who_its_wiring_says() {
    var found = standard.authenticate(Credentials.vouchedFor(Identity.scheduler()));

    assertThat(found).isEqualTo(new Authentication.Proven(Identity.scheduler()));
  }

  @Test
  void a_token_nobody_issued_is_refused_and_not_anonymous() {
    var found = standard.authenticate(Credentials.remote(Optional.empty(), Optional.of("x")));

    assertThat(found).isInstanceOf(Authentication.Disproven.class);
  }

  @Test
  void who_brings_nothing_is_anonymous() {
    var found = standard.authenticate(Credentials.remote(Optional.empty(), Optional.empty()));

    assertThat(found).isEqualTo(new Authentication.Proven(Identity.ANONYMOUS));
  }

  @Test
  void a_link_more_makes_a_token_count() {
    var bob = new Authentication.Proven(Identity.of("bob"));
    Authenticator tokens =
        credentials ->
            credentials.bearerToken().equals(Optional.of("bob's"))
                ? bob
                : new Authentication.NotMine();
    var chain = Authenticator.chain(List.of(tokens, standard));

    assertThat(chain.authenticate(Credentials.remote(Optional.empty(), Optional.of("bob's"))))
        .isEqualTo(bob);
    assertThat(chain.authenticate(Credentials.remote(Optional.empty(), Optional.of("eve's"))))
        .isInstanceOf(Authentication.Disproven.class);
  }

  @Test
  void a_chain_in_which_nobody_judges_proves_nothing() {
    var found =
        Authenticator.chain(List.of(Authenticator.VOUCHED))
            .authenticate(Credentials.remote(ALICE, Optional.empty()));

    assertThat(found).isInstanceOf(Authentication.Disproven.class);
  }
}
