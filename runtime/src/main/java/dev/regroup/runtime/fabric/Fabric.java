package dev.regroup.runtime.fabric;

import static java.util.Objects.requireNonNull;

import dev.regroup.runtime.PodNetwork;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The network of this node's pods. Pods reach each other, the gateway and the host; the host
 * reaches pods by their addresses. An address belongs to a pod from its first attach to its detach,
 * whatever dies in between.
 *
 * <p>All methods may be called from any thread, also side by side; the work is done on one platform
 * thread named {@code fabric}. Closing leaves everything running for the next {@link #open} with
 * the same directory; {@link #remove} leaves nothing. The caller must be the only user of the
 * directory, and close sockets it opened here.
 */
public final class Fabric implements PodNetwork, AutoCloseable {
  private static final int MOST_WAITING = 1024; // for an accept; a group's pods come all at once

  private final FabricThread thread;
  private final FabricInside inside;
  private final FabricRecord record;
  private final HolderWatch watch;

  /**
   * How a fabric is opened.
   *
   * @param directory where its small files are kept; made if it is missing
   * @param subnet the pods' range if somebody insists on one, else a free one is chosen
   * @param avoid addresses that must stay reachable from the host, such as its name servers
   * @param random chooses the range and the name of the link to the host
   */
  public record Settings(
      Path directory, Optional<Subnet> subnet, List<Inet4Address> avoid, RandomGenerator random) {
    public Settings {
      directory = directory.toAbsolutePath();
      avoid = List.copyOf(avoid);
      requireNonNull(random, "random");
    }

    public static Settings in(Path directory) {
      return new Settings(directory, Optional.empty(), List.of(), RandomGenerator.getDefault());
    }
  }

  private Fabric(FabricThread thread, FabricInside inside) throws SyscallFailure {
    this.thread = thread;
    this.inside = inside;
    this.record = inside.record();
    this.watch =
        new HolderWatch(
            inside.holder(), () -> thread.call("hold the pod network", inside::renewHolder));
  }

  /** Adopts the running fabric of this directory or starts one. Needs root. */
  public static Fabric open(Settings settings) throws RuntimeFailure {
    var thread = new FabricThread("fabric");
    try {
      return new Fabric(thread, thread.call("pod network", () -> FabricInside.enter(settings)));
    } catch (SyscallFailure e) {
      thread.close();
      throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "pod network: " + e.getMessage(), e);
    } catch (RuntimeFailure | RuntimeException e) {
      thread.close();
      throw e;
    }
  }

  @Override
  public Inet4Address attach(PodUid pod, SandboxProcess sandbox) throws RuntimeFailure {
    return thread.call("attach pod " + pod, () -> inside.attach(pod, sandbox));
  }

  @Override
  public void detach(PodUid pod) throws RuntimeFailure {
    thread.call(
        "detach pod " + pod,
        () -> {
          inside.detach(pod);
          return pod;
        });
  }

  /** Cuts a pod off from everybody; its own loopback goes on. Lasts until {@link #join}. */
  public void cut(PodUid pod) throws RuntimeFailure {
    thread.call(
        "cut off pod " + pod,
        () -> {
          inside.cut(pod);
          return pod;
        });
  }

  /** Ends a {@link #cut}. Idempotent. */
  public void join(PodUid pod) throws RuntimeFailure {
    thread.call(
        "join pod " + pod,
        () -> {
          inside.join(pod);
          return pod;
        });
  }

  /** Address of the gateway, where name resolution is served too. */
  public Inet4Address gateway() {
    return FabricLinks.gateway(record.subnet());
  }

  /** The host's own address in the pods' network: where pods find it, where probes come from. */
  public Inet4Address hostAddress() {
    return FabricLinks.hostAddress(record.subnet());
  }

  /** The range pods have their addresses from. */
  public Subnet subnet() {
    return record.subnet();
  }

  /** The name of the host's end of the link. */
  public String hostLink() {
    return record.hostLink();
  }

  /** The address a pod has, if it has one. */
  public Optional<Inet4Address> address(PodUid pod) throws RuntimeFailure {
    return thread.call("address of pod " + pod, () -> inside.address(pod));
  }

  /** Every pod that has an address: after a crash some may be gone and want a detach. */
  public List<PodUid> pods() throws RuntimeFailure {
    return thread.call("list pods", inside::pods);
  }

  /** Makes a range of service addresses the fabric's own; sockets can be bound to each of them. */
  public void own(Subnet range) throws RuntimeFailure {
    thread.call(
        "own " + range,
        () -> {
          inside.own(range);
          return range;
        });
  }

  /** A datagram socket inside the fabric; it works from every thread and is the caller's. */
  public DatagramChannel openDatagram(InetSocketAddress local) throws RuntimeFailure {
    return thread.call(
        "bind udp " + local,
        () -> {
          var channel = DatagramChannel.open(StandardProtocolFamily.INET);
          try {
            return channel.bind(local);
          } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
          }
        });
  }

  /** A listening socket inside the fabric; it works from every thread and is the caller's. */
  public ServerSocketChannel listen(InetSocketAddress local) throws RuntimeFailure {
    return thread.call(
        "listen on tcp " + local,
        () -> {
          var channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
          try {
            return channel
                .setOption(StandardSocketOptions.SO_REUSEADDR, true)
                .bind(local, MOST_WAITING);
          } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
          }
        });
  }

  /** Lets go; pods keep their network. Idempotent. */
  @Override
  public void close() {
    watch.close(); // first: it asks the thread
    thread.close();
    inside.close(); // the thread has ended: nobody else uses it
  }

  /** Ends the fabric: every pod loses its network, and nothing of it is left. Then it is closed. */
  public void remove() throws RuntimeFailure {
    watch.close(); // the holder is ended on purpose
    try {
      thread.call(
          "remove the pod network",
          () -> {
            inside.remove();
            return record;
          });
    } finally {
      close();
    }
  }
}
