package dev.regroup.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrustBundleTest {

  private static final String A = block("AAAA");
  private static final String B = block("BBBB");

  @Test
  void a_bundle_is_what_its_blocks_are_whatever_stands_between_them() {
    assertThat(TrustBundle.of("# of the first\n" + A + "\n\n" + B))
        .isEqualTo(TrustBundle.of(B + A))
        .extracting(TrustBundle::pem)
        .isEqualTo(A + B);
    assertThat(TrustBundle.of("\n").pem()).isEmpty();
  }

  @Test
  void others_come_behind_and_nobody_twice() {
    var both = TrustBundle.of(A).and(TrustBundle.of(B + A));

    assertThat(both.pem()).isEqualTo(A + B);
    assertThat(both.hasAll(TrustBundle.of(B))).isTrue();
    assertThat(TrustBundle.of(A).hasAll(both)).isFalse();
  }

  private static String block(String content) {
    return "-----BEGIN CERTIFICATE-----\n" + content + "\n-----END CERTIFICATE-----\n";
  }
}
