package dev.regroup.node.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.dns.DnsAnswers.Carrier;
import dev.regroup.node.dns.DnsAnswers.Outcome;
import java.net.Inet4Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DnsAnswersTest {
  private static final DnsNames.ServiceName TRAINING = new DnsNames.ServiceName("team", "training");
  private static final DnsNames NAMES =
      new DnsNames(
          Map.of(
              TRAINING,
              new DnsNames.Addresses(
                  List.of(ip("10.1.0.3"), ip("10.1.0.4")),
                  Map.of(
                      "training-w-0-0", List.of(ip("10.1.0.3")),
                      "training-w-0-1", List.of(ip("10.1.0.4")))),
              new DnsNames.ServiceName("default", "kubernetes"),
              new DnsNames.Addresses(List.of(ip("10.96.0.1")), Map.of()),
              new DnsNames.ServiceName("team", "nobody"),
              new DnsNames.Addresses(List.of(), Map.of())));

  @Test
  void a_service_is_answered_byte_by_byte() {
    byte[] query =
        Packets.bytes(
            "1234 0100 0001 0000 0000 0000"
                + "0a 6b756265726e65746573 07 64656661756c74 03 737663"
                + "07 636c7573746572 05 6c6f63616c 00 0001 0001");

    byte[] reply = reply(query, Carrier.DATAGRAM);

    assertThat(Packets.hex(reply))
        .isEqualToIgnoringWhitespace(
            "1234 8580 0001 0001 0000 0000"
                + "0a 6b756265726e65746573 07 64656661756c74 03 737663"
                + "07 636c7573746572 05 6c6f63616c 00 0001 0001"
                + "c00c 0001 0001 00000001 0004 0a600001");
  }

  @ParameterizedTest
  @CsvSource({
    "training.team.svc.cluster.local, A 10.1.0.3 1;A 10.1.0.4 1",
    "training-w-0-1.training.team.svc.cluster.local, A 10.1.0.4 1",
    "TRAINING-w-0-0.Training.Team.SVC.Cluster.Local, A 10.1.0.3 1",
    "kubernetes.default.svc.cluster.local, A 10.96.0.1 1",
  })
  void names_of_the_cluster_have_their_addresses(String name, String expected) {
    var answer = Packets.read(reply(Packets.query(2, name, 1), Carrier.DATAGRAM));

    assertThat(answer.code()).isZero();
    assertThat(answer.id()).isEqualTo(2);
    assertThat(String.join(";", answer.records())).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "training.team.svc.cluster.local",
        "training-w-0-1.training.team.svc.cluster.local",
        "kubernetes.default.svc.cluster.local"
      })
  void a_name_without_ipv6_is_an_empty_answer_and_no_error(String name) {
    var answer = Packets.read(reply(Packets.query(7, name, 28), Carrier.DATAGRAM));

    assertThat(answer.code()).isZero();
    assertThat(answer.records()).isEmpty();
    assertThat(answer.authorities()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nobody.team.svc.cluster.local", "team.svc.cluster.local", "cluster.local"})
  void a_name_without_addresses_still_exists(String name) {
    assertThat(Packets.read(reply(Packets.query(7, name, 1), Carrier.DATAGRAM)).code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "absent.team.svc.cluster.local",
        "training.absent.svc.cluster.local",
        "training-w-0-9.training.team.svc.cluster.local",
        "a.training-w-0-0.training.team.svc.cluster.local",
        "absent.svc.cluster.local",
        "example.com.team.svc.cluster.local",
        "10-1-0-3.team.pod.cluster.local",
        "absent.cluster.local",
      })
  void a_name_nobody_has_does_not_exist(String name) {
    for (int type : new int[] {1, 28}) {
      var answer = Packets.read(reply(Packets.query(9, name, type), Carrier.DATAGRAM));

      assertThat(answer.code()).isEqualTo(3);
      assertThat(answer.records()).isEmpty();
      assertThat(answer.authorities()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.com", "localhost", "notcluster.local", "9.9.9.9.in-addr.arpa"})
  void other_names_are_for_others_and_a_failure_is_ready(String name) {
    var outcome = DnsAnswers.answer(NAMES, Packets.query(11, name, 1), Carrier.DATAGRAM);

    assertThat(outcome).isInstanceOf(Outcome.Ask.class);
    var failure = Packets.read(((Outcome.Ask) outcome).failure());
    assertThat(failure.code()).isEqualTo(2);
    assertThat(failure.id()).isEqualTo(11);
  }

  @ParameterizedTest
  @CsvSource({
    "4.0.1.10.in-addr.arpa, PTR training-w-0-1.training.team.svc.cluster.local 1",
    "1.0.96.10.in-addr.arpa, PTR kubernetes.default.svc.cluster.local 1",
  })
  void addresses_of_the_cluster_have_names(String name, String expected) {
    assertThat(Packets.read(reply(Packets.query(3, name, 12), Carrier.DATAGRAM)).records())
        .containsExactly(expected);
  }

  @Test
  void clients_that_take_the_first_address_are_spread() {
    byte[] even = reply(Packets.query(4, "training.team.svc.cluster.local", 1), Carrier.DATAGRAM);
    byte[] odd = reply(Packets.query(5, "training.team.svc.cluster.local", 1), Carrier.DATAGRAM);

    assertThat(Packets.read(even).records().getFirst()).isEqualTo("A 10.1.0.3 1");
    assertThat(Packets.read(odd).records().getFirst()).isEqualTo("A 10.1.0.4 1");
  }

  @Test
  void what_does_not_fit_a_datagram_is_cut_and_marked_and_whole_in_a_stream() {
    DnsNames many =
        NAMES.with(
            TRAINING,
            Optional.of(
                new DnsNames.Addresses(
                    IntStream.range(0, 1000)
                        .mapToObj(i -> ip("10.1." + i / 250 + "." + i % 250))
                        .toList(),
                    Map.of())));
    byte[] query = Packets.query(0, "training.team.svc.cluster.local", 1);

    byte[] plain = reply(many, query, Carrier.DATAGRAM);
    byte[] roomy = reply(many, Packets.extended(query, 4096), Carrier.DATAGRAM);
    byte[] stream = reply(many, query, Carrier.STREAM);

    assertThat(plain).hasSizeLessThanOrEqualTo(512);
    assertThat(Packets.read(plain).truncated()).isTrue();
    assertThat(Packets.read(plain).records()).hasSize(28);
    assertThat(roomy).hasSizeLessThanOrEqualTo(1232);
    assertThat(Packets.read(roomy).truncated()).isTrue();
    assertThat(Packets.read(roomy).extras()).isEqualTo(1);
    assertThat(Packets.read(stream).truncated()).isFalse();
    assertThat(Packets.read(stream).records()).hasSize(1000);
  }

  @Test
  void a_compressed_name_is_understood() {
    // The name ends with a pointer into the record before it would be odd in a query, but legal.
    byte[] query =
        Packets.bytes(
            "0001 0100 0001 0000 0000 0001"
                + "0a 6b756265726e65746573 07 64656661756c74 03 737663"
                + "07 636c7573746572 05 6c6f63616c 00 0001 0001"
                + "c017 0029 04d0 00000000 0000");

    assertThat(Packets.read(reply(query, Carrier.DATAGRAM)).records())
        .containsExactly("A 10.96.0.1 1");
  }

  @ParameterizedTest
  @CsvSource({
    "0001 0100 0001 0000 0000 0000 c00c 0001 0001, 1", // points at itself
    "0001 0100 0001 0000 0000 0000 c0ff 0001 0001, 1", // points forward
    "0001 0100 0001 0000 0000 0000 3f 6161, 1", // label longer than the packet
    "0001 0100 0001 0000 0000 0000 8001 0001 0001, 1", // reserved label type
    "0001 0100 0001 0000 0000 0000 01 61 00 0001, 1", // no class
    "0001 0100 0002 0000 0000 0000 01 61 00 0001 0001, 1", // two questions
    "0001 0100 0000 0000 0000 0000, 1", // none
    "0001 0100 0001 0001 0000 0000 01 61 00 0001 0001, 1", // with an answer
    "0001 0100 0001 0000 0000 0009 01 61 00 0001 0001, 1", // promised records are missing
    "0001 1000 0001 0000 0000 0000 01 61 00 0001 0001, 4", // not a query
    "0001 0100 0001 0000 0000 0000 01 61 00 0001 0003, 5", // another class
  })
  void a_query_that_makes_no_sense_is_told_so(String hex, int code) {
    var answer = Packets.read(reply(Packets.bytes(hex), Carrier.DATAGRAM));

    assertThat(answer.code()).isEqualTo(code);
    assertThat(answer.id()).isEqualTo(1);
    assertThat(answer.records()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "00", "0001 0100 0001 0000 0000", "0001 8180 0001 0000 0000 0000"})
  void noise_gets_no_answer(String hex) {
    assertThat(DnsAnswers.answer(NAMES, Packets.bytes(hex), Carrier.DATAGRAM))
        .isInstanceOf(Outcome.Drop.class);
  }

  @Test
  void a_dot_inside_a_label_does_not_make_another_name() {
    byte[] query =
        Packets.bytes(
            "0001 0100 0001 0000 0000 0000 12 6b756265726e657465732e64656661756c74"
                + "03 737663 07 636c7573746572 05 6c6f63616c 00 0001 0001");

    assertThat(Packets.read(reply(query, Carrier.DATAGRAM)).code()).isEqualTo(3);
  }

  @Test
  void whatever_comes_in_a_well_formed_packet_or_nothing_goes_out() {
    long seed = 20_26;
    var random = new Random(seed);
    byte[] sound = Packets.extended(Packets.query(77, "training.team.svc.cluster.local", 1), 900);
    int replies = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] packet = round % 2 == 0 ? damaged(sound, random) : noise(random);
      var carrier = random.nextBoolean() ? Carrier.DATAGRAM : Carrier.STREAM;
      String context = "seed " + seed + ", round " + round + ", packet " + Packets.hex(packet);

      switch (DnsAnswers.answer(NAMES, packet, carrier)) {
        case Outcome.Reply(byte[] reply) -> {
          replies++;
          assertThat(Packets.read(reply)).as(context).isNotNull();
          assertThat(reply.length).as(context).isLessThanOrEqualTo(65_535);
        }
        case Outcome.Ask(byte[] failure) ->
            assertThat(Packets.read(failure)).as(context).isNotNull();
        case Outcome.Drop() -> {}
      }
    }
    assertThat(replies).isGreaterThan(1000);
  }

  private static byte[] damaged(byte[] sound, Random random) {
    byte[] packet = sound.clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      packet[random.nextInt(packet.length)] = (byte) random.nextInt(256);
    }
    return random.nextInt(4) == 0
        ? java.util.Arrays.copyOf(packet, random.nextInt(packet.length + 8))
        : packet;
  }

  private static byte[] noise(Random random) {
    var packet = new byte[random.nextInt(80)];
    random.nextBytes(packet);
    if (packet.length > 5) {
      packet[2] &= 0x07; // looks like a query
      packet[4] = 0;
      packet[5] = 1;
    }
    return packet;
  }

  private static byte[] reply(byte[] query, Carrier carrier) {
    return reply(NAMES, query, carrier);
  }

  private static byte[] reply(DnsNames names, byte[] query, Carrier carrier) {
    var outcome = DnsAnswers.answer(names, query, carrier);
    assertThat(outcome).isInstanceOf(Outcome.Reply.class);
    return ((Outcome.Reply) outcome).packet();
  }

  private static Inet4Address ip(String text) {
    return Inet4Address.ofLiteral(text);
  }
}
