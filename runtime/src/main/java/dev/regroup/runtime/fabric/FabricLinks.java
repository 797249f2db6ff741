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
 *   sandbox            fabric                           host
 *   eth0 ─────── p3 ─┐
 *   eth0 ─────── p4 ─┼─ pods (bridge, gateway) ─ host ─────── regroup… (address 2)
 * </pre>
 *
 * <p>Lives on the fabric's thread, which is inside the fabric whenever a method starts or ends.
 */
final class FabricLinks implements AutoCloseable {
  private static final int GATEWAY_PLACE = 1;
  private static final int HOST_PLACE = 2;
  static final int FIRST_POD_PLACE = 3;

  private static final String BRIDGE = "pods";
  private static final String HOST_PORT = "host";
  private static final String POD_LINK = "eth0";
  private static final int LOOPBACK = 1; // its number in every namespace

  private final FabricRecord record;
  private final NetlinkSocket inside;
  private int bridge;

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

  /** Bridge, gateway and the link to the host. */
  void ensure(NetlinkSocket host, Fd hostNamespace) throws SyscallFailure {
    Subnet subnet = record.subnet();
    Inet4Address gateway = gateway(subnet);
    if (inside.find(BRIDGE).isEmpty()) {
      inside.apply(new LinkRequest.AddBridge(BRIDGE, Mac.of(gateway)));
    }
    bridge = inside.find(BRIDGE).orElseThrow();
    inside.apply(
        new LinkRequest.Up(LOOPBACK),
        new LinkRequest.NoIpv6Address(bridge),
        new LinkRequest.AddAddress(bridge, gateway, subnet.prefix()),
        new LinkRequest.Up(bridge),
        new LinkRequest.Forward(bridge));
    if (inside.find(HOST_PORT).isEmpty()) {
      host.apply(new LinkRequest.DeleteLink(record.hostLink())); // led to a fabric that is gone
      var far =
          new LinkRequest.Peer(
              record.hostLink(), Mac.of(hostAddress(subnet)), hostNamespace.number());
      inside.apply(new LinkRequest.AddPair(HOST_PORT, bridge, far));
    }
    int link = host.find(record.hostLink()).orElseThrow();
    host.apply(
        new LinkRequest.NoIpv6Address(link),
        new LinkRequest.AddAddress(link, hostAddress(subnet), subnet.prefix()),
        new LinkRequest.Up(link));
    inside.apply(new LinkRequest.DefaultRoute(hostAddress(subnet), bridge));
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
      inside.apply(
          new LinkRequest.DeleteLink(port(address)), // led to a sandbox that is gone
          new LinkRequest.AddPair(
              port(address),
              bridge,
              new LinkRequest.Peer(POD_LINK, Mac.of(address), sandbox.number())));
    }
    int link = pod.find(POD_LINK).orElseThrow();
    pod.apply(
        new LinkRequest.Up(LOOPBACK),
        new LinkRequest.NoIpv6Address(link),
        new LinkRequest.AddAddress(link, address, record.subnet().prefix()),
        new LinkRequest.Up(link),
        new LinkRequest.DefaultRoute(gateway(record.subnet()), link));
  }

  void detach(Inet4Address address) throws SyscallFailure {
    inside.apply(new LinkRequest.DeleteLink(port(address)));
  }

  /** Makes every address of a range the fabric's own, so that sockets can be bound to them. */
  void own(Subnet range) throws SyscallFailure {
    inside.apply(new LinkRequest.OwnRange(range, LOOPBACK));
  }

  @Override
  public void close() {
    inside.close();
  }

  private String port(Inet4Address address) {
    return "p" + record.subnet().placeOf(address);
  }
}
