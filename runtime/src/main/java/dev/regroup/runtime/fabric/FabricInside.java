package dev.regroup.runtime.fabric;

import dev.regroup.runtime.PodNetwork.SandboxProcess;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fabric as its own thread sees it: namespace, holder, links and addresses. Made by {@link
 * #enter}, which leaves the thread inside the namespace. No other thread may call anything here.
 */
final class FabricInside implements AutoCloseable {
  static final String RECORD = "network";
  private static final String ADDRESSES = "addresses";
  private static final int TRIES = 8;

  private final Path directory;
  private final FabricRecord record;
  private final Host host;
  private final Fd fabric;
  private final FabricLinks links;
  private final AddressBook addresses;
  private FabricHolder holder; // another one when it was killed

  /** The way back: the namespace the thread came from, and a conversation with it. */
  private record Host(Fd namespace, NetlinkSocket socket, Namespaces namespaces)
      implements AutoCloseable {

    static Host here() throws IOException {
      var namespaces = Namespaces.fromHost();
      Fd namespace = Namespaces.openOwn();
      try {
        return new Host(namespace, NetlinkSocket.open(), namespaces);
      } catch (IOException e) {
        namespace.close();
        throw e;
      }
    }

    @Override
    public void close() {
      socket.close();
      namespace.close();
    }
  }

  private FabricInside(
      Path directory, FabricRecord record, FabricHolder holder, Host host, Fd fabric)
      throws IOException {
    this.directory = directory;
    this.record = record;
    this.holder = holder;
    this.host = host;
    this.fabric = fabric;
    this.links = new FabricLinks(record);
    try {
      links.claim(host.socket(), host.namespace());
      Path book = directory.resolve(ADDRESSES);
      this.addresses = AddressBook.open(book, record.subnet(), FabricLinks.FIRST_POD_PLACE);
    } catch (IOException e) {
      links.close();
      throw e;
    }
  }

  /** Adopts the fabric of this directory if it is alive, or makes one. */
  static FabricInside enter(Fabric.Settings settings) throws IOException {
    OwnerFiles.directory(settings.directory());
    var known = FabricRecord.read(settings.directory().resolve(RECORD));
    var host = Host.here();
    try {
      var holder = FabricHolder.find(settings.directory(), known);
      var held = holder.isPresent() ? holder.get().namespace() : Optional.<Fd>empty();
      return held.isPresent()
          ? adopt(settings, known.orElseThrow(), holder.orElseThrow(), held.get(), host)
          : begin(settings, known, host);
    } catch (IOException | RuntimeException e) {
      host.close();
      throw e;
    }
  }

  FabricRecord record() {
    return record;
  }

  FabricHolder holder() {
    return holder;
  }

  /** The holder has ended while this thread kept the namespace: another one takes its place. */
  FabricHolder renewHolder() throws IOException {
    var fresh = FabricHolder.start(directory, record);
    holder.forget();
    holder = fresh;
    return fresh;
  }

  Inet4Address attach(PodUid pod, SandboxProcess sandbox) throws IOException {
    Inet4Address address = addresses.take(pod);
    try (var namespace = Linux.open(Namespaces.of(sandbox.pid()), Linux.O_RDONLY, 0)) {
      // Still alive after the open: the number was not another process's when we used it.
      Linux.call(Syscall.PIDFD_SEND_SIGNAL, sandbox.pidfd(), 0, 0, 0);
      host.namespaces().refuseOwn(namespace, fabric);
      try (var inPod = host.namespaces().visit(namespace, fabric)) {
        links.attach(address, inPod, namespace);
      }
    }
    return address;
  }

  /**
   * Frees the address. The link ends with the sandbox: deleting it here would wait for a grace
   * period of the kernel (20 ms), which collects the links of many sandboxes in one.
   */
  void detach(PodUid pod) throws IOException {
    addresses.free(pod);
  }

  void cut(PodUid pod) throws IOException {
    links.cut(known(pod));
  }

  void join(PodUid pod) throws IOException {
    links.join(known(pod));
  }

  private Inet4Address known(PodUid pod) throws IOException {
    return addresses.find(pod).orElseThrow(() -> new IOException("it has no address here"));
  }

  Optional<Inet4Address> address(PodUid pod) {
    return addresses.find(pod);
  }

  List<PodUid> pods() {
    return addresses.pods();
  }

  void own(Subnet range) throws IOException {
    links.own(range);
  }

  /** Ends the holder and takes the link to the host away; the kernel does the rest. */
  void remove() throws IOException {
    host.socket().apply(new LinkRequest.DeleteLink(record.hostLink()));
    holder.end();
    for (PodUid pod : addresses.pods()) {
      addresses.free(pod);
    }
    Files.deleteIfExists(directory.resolve(ADDRESSES));
    OwnerFiles.empty(directory); // the record, the interpreter, drafts of a crash
    FabricList.OF_THIS_MACHINE.remove(directory);
  }

  /** Lets go of everything and leaves it running. */
  @Override
  public void close() {
    links.close();
    fabric.close();
    holder.close();
    host.close();
  }

  private static FabricInside adopt(
      Fabric.Settings settings, FabricRecord record, FabricHolder holder, Fd fabric, Host host)
      throws IOException {
    FabricList.OF_THIS_MACHINE.add(settings.directory());
    try {
      Linux.setns(fabric, Linux.CLONE_NEWNET);
      return new FabricInside(settings.directory(), record, holder, host, fabric).connected();
    } catch (IOException e) {
      fabric.close();
      holder.close();
      throw e;
    }
  }

  private FabricInside connected() throws IOException {
    try {
      links.ensure(host.socket());
      return this;
    } catch (IOException e) {
      links.close();
      throw e;
    }
  }

  /**
   * Makes a fabric. Another instance may want the same range at the same moment, so the host's
   * addresses are looked at again when ours is there: who sees a rival steps back and draws again.
   * Only then come the routes, which would replace the rival's.
   */
  private static FabricInside begin(
      Fabric.Settings settings, Optional<FabricRecord> known, Host host) throws IOException {
    FabricHolder.endOrphans(settings.directory());
    Optional<FabricRecord> wish = known;
    for (int i = 0; i < TRIES; i++) {
      FabricRecord record = choose(settings, wish, host);
      FabricList.OF_THIS_MACHINE.add(settings.directory());
      record.write(settings.directory().resolve(RECORD));
      var made = make(settings, record, host);
      if (free(settings, record, host)) {
        return connected(made);
      }
      made.remove();
      made.links.close();
      made.fabric.close();
      made.holder.close();
      Linux.setns(host.namespace(), Linux.CLONE_NEWNET);
      wish = Optional.empty();
    }
    throw new IOException("other instances took every range of pod addresses (start again)");
  }

  private static FabricInside connected(FabricInside made) throws IOException {
    try {
      return made.connected();
    } catch (IOException e) {
      made.holder.end();
      made.holder.close();
      made.fabric.close();
      throw e;
    }
  }

  private static FabricInside make(Fabric.Settings settings, FabricRecord record, Host host)
      throws IOException {
    Linux.unshare(Linux.CLONE_NEWNET); // the holder is born inside
    Fd fabric = Namespaces.openOwn();
    try {
      var holder = FabricHolder.start(settings.directory(), record);
      try {
        return new FabricInside(settings.directory(), record, holder, host, fabric);
      } catch (IOException e) {
        holder.end();
        holder.close();
        throw e;
      }
    } catch (IOException e) {
      fabric.close();
      throw e;
    }
  }

  private static FabricRecord choose(
      Fabric.Settings settings, Optional<FabricRecord> known, Host host) throws IOException {
    if (settings.subnet().isPresent()) {
      return FabricRecord.fresh(settings.subnet().get(), settings.random());
    }
    if (known.isPresent() && free(settings, known.get(), host)) {
      return known.get();
    }
    var taken = taken(settings, "", host);
    var takenOrKept = new ArrayList<>(taken);
    takenOrKept.addAll(FabricList.OF_THIS_MACHINE.ranges(settings.directory()));
    Subnet subnet =
        SubnetChoice.choose(takenOrKept, settings.random())
            .or(() -> SubnetChoice.choose(taken, settings.random()))
            .orElseThrow(() ->
                new IOException(
                    "every range for pod addresses is in use on this machine"
                        + " (name a free one yourself)"));
    return FabricRecord.fresh(subnet, settings.random());
  }

  private static boolean free(Fabric.Settings settings, FabricRecord record, Host host)
      throws IOException {
    return settings.subnet().isPresent()
        || taken(settings, record.hostLink(), host).stream().noneMatch(record.subnet()::overlaps);
  }

  private static List<Subnet> taken(Fabric.Settings settings, String except, Host host)
      throws IOException {
    var taken = new ArrayList<>(FabricLinks.taken(host.socket(), except));
    settings.avoid().forEach(address -> taken.add(new Subnet(address, 32)));
    return taken;
  }
}
