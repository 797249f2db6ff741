package dev.regroup.runtime.fabric;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.SyscallFailure;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The links of the fabric as the kernel has them. Every method says what should be there and makes
 * only what is missing, so each may follow any crash.
 *
 * <pre>
 *   sandbox          fabric                          host
 *   eth0 ────── p3 ┐
 *   eth0 ────── p4 ┼ routes, gateway ┼ host ────── regroup… (address 2)
 * </pre>
 *
 * <p>Pods are routed, not bridged, and every neighbour is written down for good. Neighbours that
 * are learned share one small table of the whole machine (1,024 by default): on a bridge, 40 pods
 * that all talk to each other overflow it and connections time out. Here a pod has one neighbour,
 * the gateway, and nothing is ever learned.
 *
 * <p>Lives on the fabric's thread, which is inside the fabric whenever a method starts or ends.
 */
final class FabricLinks implements AutoCloseable {
  private static final int GATEWAY_PLACE = 1;
  private static final int HOST_PLACE = 2;
  static final int FIRST_POD_PLACE = 3;

  private static final Subnet EVERYTHING = Subnet.parse("0.0.0.0/0");
  private static final String HOST_PORT = "host";
  private static final String POD_LINK = "eth0";
  private static final int LOOPBACK = 1; // its number in every namespace
  private static final int SINGLE = 32; // the prefix of one address

  private final FabricRecord record;
  private final NetlinkSocket inside;

  /** Called when the thread is inside. */
  FabricLinks(FabricRecord record) throws SyscallFailure {
    this.record = record;
    this.inside = NetlinkSocket.open();
  }

  static Inet4Address gateway(Subnet subnet) {
    return subnet.at(GATEWAY_PLACE);
  }

  /** The host's own address in the pods' network. */
  static Inet4Address hostAddress(Subnet subnet) {
    return subnet.at(HOST_PLACE);
  }

  /** Ranges the host routes or owns; the default route is no claim to any. */
  static List<Subnet> taken(NetlinkSocket host, String except) throws SyscallFailure {
    OptionalInt own = except.isEmpty() ? OptionalInt.empty() : host.find(except);
    var taken = new ArrayList<Subnet>();
    for (LinkReply reply : host.list(new LinkRequest.ListAddresses())) {
      if (reply instanceof LinkReply.Address(_, int link, Subnet range, _)
          && (own.isEmpty() || own.getAsInt() != link)) {
        taken.add(range);
      }
    }
    for (LinkReply reply : host.list(new LinkRequest.ListRoutes())) {
      if (reply instanceof LinkReply.Route(_, int link, Subnet range)
          && range.prefix() > 0
          && (own.isEmpty() || own.getAsInt() != link)) {
        taken.add(range);
      }
    }
    return taken;
  }

  /** The link to the host, with its address there: others see that the range is taken. */
  void claim(NetlinkSocket host, Fd hostNamespace) throws SyscallFailure {
    Inet4Address address = hostAddress(record.subnet());
    if (inside.find(HOST_PORT).isEmpty()) {
      host.apply(new LinkRequest.DeleteLink(record.hostLink())); // led to a fabric that is gone
      pair(
          HOST_PORT,
          new LinkRequest.Peer(record.hostLink(), Mac.of(address), hostNamespace.number()));
    }
    int link = host.find(record.hostLink()).orElseThrow();
    host.apply(
        new LinkRequest.NoIpv6Address(link), new LinkRequest.AddAddress(link, address, SINGLE));
  }

  /** The gateway's address and the ways between here and the host. After the claim. */
  void ensure(NetlinkSocket host) throws SyscallFailure {
    Inet4Address address = hostAddress(record.subnet());
    inside.apply(
        new LinkRequest.Up(LOOPBACK), new LinkRequest.AddAddress(LOOPBACK, gateway(), SINGLE));
    int link = host.find(record.hostLink()).orElseThrow();
    connect(host, link, address);
    host.apply(new LinkRequest.Through(record.subnet(), gateway(), link, address));
    int port = lead(HOST_PORT, address);
    inside.apply(new LinkRequest.Through(EVERYTHING, address, port, gateway()));
  }

  /**
   * Gives a pod its {@code eth0}.
   *
   * @param pod a conversation with the pod's namespace
   * @param sandbox the same namespace, for making a link in it
   */
  void attach(Inet4Address address, NetlinkSocket pod, Fd sandbox) throws SyscallFailure {
    boolean before = pod.find(POD_LINK).isPresent();
    boolean whole = before && inside.find(port(address)).isPresent();
    if (before && !whole) {
      pod.apply(new LinkRequest.DeleteLink(POD_LINK)); // led to a fabric that is gone
    }
    if (!whole) {
      inside.apply(new LinkRequest.DeleteLink(port(address))); // led to a sandbox that is gone
      pair(port(address), new LinkRequest.Peer(POD_LINK, Mac.of(address), sandbox.number()));
    }
    int link = pod.find(POD_LINK).orElseThrow();
    pod.apply(new LinkRequest.Up(LOOPBACK));
    connect(pod, link, address);
    pod.apply(new LinkRequest.Through(EVERYTHING, gateway(), link, address));
    int _ = lead(port(address), address);
  }

  /** Cuts the line to this address: what is sent there, and what comes from there, is lost. */
  void cut(Inet4Address address) throws SyscallFailure {
    var link = inside.find(port(address));
    if (link.isPresent()) {
      inside.apply(
          new LinkRequest.Down(link.getAsInt()),
          new LinkRequest.BlackHole(new Subnet(address, SINGLE)));
    }
  }

  /** Makes the line whole again; one that is whole stays so. */
  void join(Inet4Address address) throws SyscallFailure {
    var link = inside.find(port(address));
    if (link.isPresent()) {
      inside.apply(new LinkRequest.Up(link.getAsInt()));
      int _ = lead(port(address), address);
    }
  }

  /** Makes every address of a range the fabric's own, so that sockets can be bound to them. */
  void own(Subnet range) throws SyscallFailure {
    inside.apply(new LinkRequest.OwnRange(range, LOOPBACK));
  }

  @Override
  public void close() {
    inside.close();
  }

  /** Every end inside the fabric is the gateway to what is behind it. */
  private void pair(String name, LinkRequest.Peer far) throws SyscallFailure {
    inside.apply(new LinkRequest.AddPair(name, Mac.of(gateway()), far));
  }

  /** Far from the fabric: an address, and the gateway behind the link. */
  private void connect(NetlinkSocket far, int link, Inet4Address address) throws SyscallFailure {
    far.apply(
        new LinkRequest.NoIpv6Address(link),
        new LinkRequest.AddAddress(link, address, SINGLE),
        new LinkRequest.Up(link),
        new LinkRequest.Neighbour(link, gateway(), Mac.of(gateway())),
        new LinkRequest.Behind(new Subnet(gateway(), SINGLE), link));
  }

  /** Inside the fabric: the way to one address. Returns the number of the link. */
  private int lead(String name, Inet4Address address) throws SyscallFailure {
    int link = inside.find(name).orElseThrow();
    inside.apply(
        new LinkRequest.Forward(link),
        new LinkRequest.Neighbour(link, address, Mac.of(address)),
        new LinkRequest.Behind(new Subnet(address, SINGLE), link));
    return link;
  }

  private Inet4Address gateway() {
    return gateway(record.subnet());
  }

  private String port(Inet4Address address) {
    return "p" + record.subnet().placeOf(address);
  }
}
