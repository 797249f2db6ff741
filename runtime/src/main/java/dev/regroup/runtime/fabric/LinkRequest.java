package dev.regroup.runtime.fabric;

import java.net.Inet4Address;

/**
 * One thing to ask of the kernel's network configuration, as data. {@link LinkEncoding} turns it
 * into bytes; printed, it reads like the command a person would have typed.
 */
sealed interface LinkRequest {

  /** What to think of an error in the answer. */
  enum Refusal {
    FAILS,
    /** The wish is met already or does not matter: exists, is gone, not supported. */
    IS_FINE
  }

  default Refusal refusal() {
    return Refusal.FAILS;
  }

  /** The far end of a pair, made in the namespace behind an open descriptor. */
  record Peer(String name, Mac mac, int namespace) {
    @Override
    public String toString() {
      return "peer " + name + " address " + mac.text() + " netns fd " + namespace;
    }
  }

  /**
   * A pair of ends. The near end is up from the start; the far end is made in its own namespace,
   * because moving a link there costs a grace period of the kernel.
   */
  record AddPair(String name, Mac mac, Peer peer) implements LinkRequest {
    @Override
    public String toString() {
      return "link add " + name + " up address " + mac.text() + " type veth " + peer;
    }
  }

  record Up(int link) implements LinkRequest {
    @Override
    public String toString() {
      return "link set " + link + " up";
    }
  }

  /** Nothing comes or goes, and routes over it are forgotten. */
  record Down(int link) implements LinkRequest {
    @Override
    public String toString() {
      return "link set " + link + " down";
    }
  }

  /** No link-local IPv6 address: it would only cost multicast traffic. */
  record NoIpv6Address(int link) implements LinkRequest {
    @Override
    public Refusal refusal() {
      return Refusal.IS_FINE; // a kernel without IPv6 has nothing to turn off
    }

    @Override
    public String toString() {
      return "link set " + link + " addrgenmode none";
    }
  }

  /** Packets that arrive on this link may go on to others, in this namespace only. */
  record Forward(int link) implements LinkRequest {
    @Override
    public String toString() {
      return "link set " + link + " inet forwarding on";
    }
  }

  record DeleteLink(String name) implements LinkRequest {
    @Override
    public Refusal refusal() {
      return Refusal.IS_FINE;
    }

    @Override
    public String toString() {
      return "link del " + name;
    }
  }

  record AddAddress(int link, Inet4Address address, int prefix) implements LinkRequest {
    @Override
    public String toString() {
      return "addr add " + address.getHostAddress() + "/" + prefix + " dev " + link;
    }
  }

  /** Where a neighbour is, known for good: never asked for, never forgotten. */
  record Neighbour(int link, Inet4Address address, Mac mac) implements LinkRequest {
    @Override
    public String toString() {
      return "neigh replace %s lladdr %s dev %d nud permanent"
          .formatted(address.getHostAddress(), mac.text(), link);
    }
  }

  /** The range is right behind this link. */
  record Behind(Subnet range, int link) implements LinkRequest {
    @Override
    public String toString() {
      return "route replace " + range + " dev " + link + " scope link";
    }
  }

  /** The range is reached through a neighbour; packets without a sender's address get this one. */
  record Through(Subnet range, Inet4Address gateway, int link, Inet4Address source)
      implements LinkRequest {
    @Override
    public String toString() {
      return "route replace %s via %s dev %d src %s"
          .formatted(range, gateway.getHostAddress(), link, source.getHostAddress());
    }
  }

  /** Every address of the range is this namespace's own: sockets can be bound to each of them. */
  record OwnRange(Subnet range, int link) implements LinkRequest {
    @Override
    public String toString() {
      return "route replace local " + range + " dev " + link;
    }
  }

  /** What is sent to the range is lost without a word. */
  record BlackHole(Subnet range) implements LinkRequest {
    @Override
    public String toString() {
      return "route replace blackhole " + range;
    }
  }

  record FindLink(String name) implements LinkRequest {
    @Override
    public String toString() {
      return "link show " + name;
    }
  }

  record ListLinks() implements LinkRequest {
    @Override
    public String toString() {
      return "link show";
    }
  }

  record ListAddresses() implements LinkRequest {
    @Override
    public String toString() {
      return "addr show";
    }
  }

  record ListRoutes() implements LinkRequest {
    @Override
    public String toString() {
      return "route show table all";
    }
  }
}
