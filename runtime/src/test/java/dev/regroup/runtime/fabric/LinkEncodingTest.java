package dev.regroup.runtime.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages byte by byte, as a little-endian kernel reads them. */
class LinkEncodingTest {
  private static final Inet4Address GATEWAY = Inet4Address.ofLiteral("10.213.32.1");

  @Test
  void a_pair_is_made_with_its_far_end_in_the_other_namespace() {
    var request =
        new LinkRequest.AddPair(
            "p5", Mac.of(GATEWAY), new LinkRequest.Peer("eth0", Mac.of(GATEWAY), 9));

    assertThat(request)
        .hasToString(
            "link add p5 up address 0a:58:0a:d5:20:01 type veth"
                + " peer eth0 address 0a:58:0a:d5:20:01 netns fd 9");
    assertThat(hex(request))
        .isEqualToIgnoringWhitespace(
            "7c000000 1000 0506 07000000 00000000"
                + " 00 00 0000 00000000 01000000 01000000"
                + " 0700 0300 7035 00 00"
                + " 0a00 0100 0a580ad52001 0000"
                + " 4800 1200"
                + " 0900 0100 76657468 00 000000"
                + " 3800 0200"
                + " 3400 0100"
                + " 00 00 0000 00000000 00000000 00000000"
                + " 0900 0300 65746830 00 000000"
                + " 0a00 0100 0a580ad52001 0000"
                + " 0800 1c00 09000000");
  }

  @Test
  void a_neighbour_is_known_for_good() {
    var request = new LinkRequest.Neighbour(3, GATEWAY, Mac.of(GATEWAY));

    assertThat(request)
        .hasToString("neigh replace 10.213.32.1 lladdr 0a:58:0a:d5:20:01 dev 3 nud permanent");
    assertThat(hex(request))
        .isEqualToIgnoringWhitespace(
            "30000000 1c00 0505 07000000 00000000"
                + " 02 00 0000 03000000 8000 00 00"
                + " 0800 0100 0ad52001"
                + " 0a00 0200 0a580ad52001 0000");
  }

  @Test
  void an_address_is_given_in_network_order() {
    var request = new LinkRequest.AddAddress(3, GATEWAY, 20);

    assertThat(request).hasToString("addr add 10.213.32.1/20 dev 3");
    assertThat(hex(request))
        .isEqualToIgnoringWhitespace(
            "28000000 1400 0505 07000000 00000000"
                + " 02 14 00 00 03000000"
                + " 0800 0200 0ad52001"
                + " 0800 0100 0ad52001");
  }

  @Test
  void routes_say_their_table_and_kind() {
    Inet4Address source = Inet4Address.ofLiteral("10.213.32.7");
    var through = new LinkRequest.Through(Subnet.parse("0.0.0.0/0"), GATEWAY, 3, source);
    assertThat(through)
        .hasToString("route replace 0.0.0.0/0 via 10.213.32.1 dev 3 src 10.213.32.7");
    assertThat(hex(through))
        .isEqualToIgnoringWhitespace(
            "3c000000 1800 0505 07000000 00000000"
                + " 02 00 00 00 fe 04 00 01 00000000"
                + " 0800 0100 00000000"
                + " 0800 0500 0ad52001"
                + " 0800 0400 03000000"
                + " 0800 0700 0ad52007");
    assertThat(hex(new LinkRequest.Behind(Subnet.parse("10.213.32.7/32"), 3)))
        .isEqualToIgnoringWhitespace(
            "2c000000 1800 0505 07000000 00000000"
                + " 02 20 00 00 fe 04 fd 01 00000000"
                + " 0800 0100 0ad52007"
                + " 0800 0400 03000000");
    assertThat(hex(new LinkRequest.OwnRange(Subnet.parse("10.96.0.0/16"), 1)))
        .isEqualToIgnoringWhitespace(
            "2c000000 1800 0505 07000000 00000000"
                + " 02 10 00 00 ff 04 fe 02 00000000"
                + " 0800 0100 0a600000"
                + " 0800 0400 01000000");
  }

  @Test
  void settings_of_a_link_are_nested_by_family() {
    assertThat(hex(new LinkRequest.NoIpv6Address(4)))
        .isEqualToIgnoringWhitespace(
            "30000000 1300 0500 07000000 00000000"
                + " 00 00 0000 04000000 00000000 00000000"
                + " 1000 1a00 0c00 0a00 0500 0800 01 000000");
    assertThat(hex(new LinkRequest.Forward(4)))
        .isEqualToIgnoringWhitespace(
            "34000000 1300 0500 07000000 00000000"
                + " 00 00 0000 04000000 00000000 00000000"
                + " 1400 1a00 1000 0200 0c00 0100 0800 0100 01000000");
  }

  @Test
  void questions_for_everything_are_dumps() {
    assertThat(hex(new LinkRequest.ListRoutes()))
        .isEqualToIgnoringWhitespace(
            "1c000000 1a00 0103 07000000 00000000 02 00 00 00 00 00 00 00 00000000");
  }

  @Test
  void an_answer_with_several_messages_is_read_in_order() {
    byte[] datagram =
        bytes(
            "24000000 0200 0000 05000000 00000000 00000000 20000000 1000 0500 05000000 00000000"
                + " 24000000 0200 0000 06000000 00000000 edffffff 20000000 1100 0500 06000000"
                + " 00000000"
                + " 2c000000 1000 0000 07000000 00000000 00 00 0100 0b000000 43100100 00000000"
                + " 0900 0300 65746830 00 000000");

    assertThat(LinkReply.parse(datagram))
        .containsExactly(
            new LinkReply.Done(5, 0),
            new LinkReply.Done(6, 19), // no such device
            new LinkReply.Link(7, 11, "eth0"));
  }

  @Test
  void addresses_and_routes_are_read_with_their_ranges() {
    byte[] datagram =
        bytes(
            "28000000 1400 0200 01000000 00000000 02 18 80 00 04000000"
                + " 0800 0100 c0000202 0800 0200 c0000202"
                + " 2c000000 1800 0200 02000000 00000000 02 14 00 00 fe 02 fd 01 00000000"
                + " 0800 0100 0ad52000 0800 0400 06000000"
                + " 1c000000 1800 0200 02000000 00000000 02 00 00 00 fe 03 00 01 00000000"
                + " 1c000000 1800 0200 02000000 00000000 0a 40 00 00 fe 03 00 01 00000000");

    assertThat(LinkReply.parse(datagram))
        .containsExactly(
            new LinkReply.Address(
                1, 4, Subnet.parse("192.0.2.0/24"), Inet4Address.ofLiteral("192.0.2.2")),
            new LinkReply.Route(2, 6, Subnet.parse("10.213.32.0/20")),
            new LinkReply.Route(2, 0, Subnet.parse("0.0.0.0/0")),
            new LinkReply.Other(2, 24));
  }

  @Test
  void bytes_that_are_no_answer_are_read_without_harm() {
    var random = new Random(42);
    for (int round = 0; round < 20_000; round++) {
      var datagram = new byte[random.nextInt(128)];
      random.nextBytes(datagram);
      if (datagram.length >= 6) { // a header that fits makes the reader look further
        var header = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
        header.putInt(0, random.nextInt(datagram.length + 4));
        header.putShort(4, (short) (16 + random.nextInt(12)));
      }

      assertThat(LinkReply.parse(datagram)).hasSizeLessThanOrEqualTo(datagram.length / 16);
    }
    assertThat(LinkReply.parse(new byte[0])).isEqualTo(List.of());
  }

  private static String hex(LinkRequest request) {
    byte[] encoded = LinkEncoding.encode(request, 7);
    return HexFormat.of().formatHex(encoded);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }
}
