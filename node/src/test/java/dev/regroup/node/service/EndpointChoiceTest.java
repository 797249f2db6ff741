package dev.regroup.node.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.service.RelayPlan.Backends;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EndpointChoiceTest {

  private static final InetAddress CLIENT = Inet4Address.ofLiteral("10.1.0.9");
  private static final InetAddress OTHER = Inet4Address.ofLiteral("10.1.0.8");
  private static final Duration HOUR = Duration.ofHours(1);

  private final AtomicLong now = new AtomicLong(5);

  @Test
  void endpoints_take_turns() {
    var choice = choice(Duration.ZERO, "10.1.0.3", "10.1.0.4", "10.1.0.5");

    var firsts = IntStream.range(0, 6).mapToObj(_ -> pick(choice, CLIENT)).toList();

    assertThat(firsts.subList(0, 3)).doesNotHaveDuplicates();
    assertThat(firsts.subList(3, 6)).isEqualTo(firsts.subList(0, 3));
  }

  @Test
  void others_are_there_to_be_tried() {
    var choice = choice(HOUR, "10.1.0.3", "10.1.0.4", "10.1.0.5");
    choice.chosen(CLIENT, endpoint("10.1.0.4"));

    assertThat(choice.candidates(CLIENT, 2)).hasSize(2).startsWith(endpoint("10.1.0.4"));
    assertThat(choice.candidates(CLIENT, 9))
        .startsWith(endpoint("10.1.0.4"))
        .containsExactlyInAnyOrder(
            endpoint("10.1.0.3"), endpoint("10.1.0.4"), endpoint("10.1.0.5"));
  }

  @Test
  void a_client_stays_with_its_endpoint_until_it_was_silent_for_long() {
    var choice = choice(HOUR, "10.1.0.3", "10.1.0.4");
    var first = pick(choice, CLIENT);

    for (int i = 0; i < 5; i++) {
      now.addAndGet(HOUR.toNanos() - 1); // counts from the last time
      assertThat(pick(choice, CLIENT)).isEqualTo(first);
      pick(choice, OTHER);
    }

    now.addAndGet(HOUR.toNanos());
    assertThat(Stream.of(pick(choice, OTHER), pick(choice, CLIENT))).doesNotHaveDuplicates();
  }

  @Test
  void a_client_whose_endpoint_is_gone_gets_another_one_for_good() {
    var choice = choice(HOUR, "10.1.0.3", "10.1.0.4");
    choice.chosen(CLIENT, endpoint("10.1.0.4"));

    choice.follow(backends(HOUR, "10.1.0.3"));
    assertThat(pick(choice, CLIENT)).isEqualTo(endpoint("10.1.0.3"));
    choice.follow(backends(HOUR, "10.1.0.3", "10.1.0.4"));

    assertThat(IntStream.range(0, 4).mapToObj(_ -> pick(choice, CLIENT)))
        .containsOnly(endpoint("10.1.0.3"));
  }

  private static InetSocketAddress pick(EndpointChoice choice, InetAddress client) {
    var endpoint = choice.candidates(client, 1).getFirst();
    choice.chosen(client, endpoint);
    return endpoint;
  }

  private EndpointChoice choice(Duration affinity, String... addresses) {
    return new EndpointChoice(backends(affinity, addresses), now::get, new Random(1));
  }

  private static Backends backends(Duration affinity, String... addresses) {
    return new Backends(Stream.of(addresses).map(EndpointChoiceTest::endpoint).toList(), affinity);
  }

  private static InetSocketAddress endpoint(String address) {
    return new InetSocketAddress(Inet4Address.ofLiteral(address), 8080);
  }
}
