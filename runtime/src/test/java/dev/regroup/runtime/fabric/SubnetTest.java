package dev.regroup.runtime.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SubnetTest {

  @Test
  void a_range_starts_at_its_network_address() {
    assertThat(Subnet.parse("10.213.37.9/20")).hasToString("10.213.32.0/20");
    assertThat(Subnet.parse("192.0.2.2")).hasToString("192.0.2.2/32");
    assertThat(Subnet.parse("255.255.255.255/0")).hasToString("0.0.0.0/0");
  }

  @Test
  void places_and_addresses_are_inverse() {
    var range = Subnet.parse("10.213.32.0/20");

    Inet4Address last = range.at(4095);

    assertThat(last.getHostAddress()).isEqualTo("10.213.47.255");
    assertThat(range.placeOf(last)).isEqualTo(4095);
    assertThatThrownBy(() -> range.at(4096)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> range.placeOf(Inet4Address.ofLiteral("10.213.48.0")))
        .hasMessage("10.213.48.0 is not in 10.213.32.0/20");
  }

  @Test
  void ranges_overlap_when_one_holds_the_other() {
    var range = Subnet.parse("10.213.32.0/20");

    assertThat(range.overlaps(Subnet.parse("10.0.0.0/8"))).isTrue();
    assertThat(range.overlaps(Subnet.parse("10.213.40.1/32"))).isTrue();
    assertThat(range.overlaps(Subnet.parse("10.213.48.0/20"))).isFalse();
    assertThat(range.overlaps(Subnet.parse("0.0.0.0/0"))).isTrue();
  }

  @Test
  void the_choice_avoids_what_is_taken_and_ends_when_nothing_is_left() {
    var taken = new ArrayList<>(List.of(Subnet.parse("10.0.0.0/8")));

    for (int i = 0; i < 17; i++) {
      var chosen = SubnetChoice.choose(taken, new Random(i)).orElseThrow();
      assertThat(taken).noneMatch(chosen::overlaps);
      taken.add(chosen);
    }

    assertThat(SubnetChoice.choose(taken, new Random(1))).isEmpty();
  }
}
