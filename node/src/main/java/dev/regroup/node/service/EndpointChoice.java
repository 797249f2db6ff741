package dev.regroup.node.service;

import dev.regroup.client.queue.Ticker;
import dev.regroup.node.service.RelayPlan.Backends;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Which endpoint a client of one front gets: one after the other, or the one it had before when the
 * service wants that. Any thread.
 */
final class EndpointChoice {
  private static final int MOST_REMEMBERED = 4096; // clients; the one not seen longest is forgotten

  private final Ticker ticker;
  private final SequencedMap<InetAddress, Memory> clients = new LinkedHashMap<>(16, 0.75f, true);
  private Backends backends;
  private Set<InetSocketAddress> endpoints; // the same, quickly found
  private int next;

  private record Memory(InetSocketAddress endpoint, long nanos) {}

  EndpointChoice(Backends backends, Ticker ticker, RandomGenerator random) {
    this.backends = backends;
    this.endpoints = Set.copyOf(backends.endpoints());
    this.ticker = ticker;
    this.next = random.nextInt(backends.endpoints().size()); // not everybody's first is the first
  }

  /** From now on these; who stayed with an endpoint that is gone chooses again. */
  synchronized void follow(Backends now) {
    backends = now;
    endpoints = Set.copyOf(now.endpoints());
    clients.values().removeIf(memory -> !endpoints.contains(memory.endpoint()));
  }

  synchronized boolean has(InetSocketAddress endpoint) {
    return endpoints.contains(endpoint);
  }

  /** Up to this many different endpoints, in the order they should be tried for this client. */
  synchronized List<InetSocketAddress> candidates(InetAddress client, int most) {
    List<InetSocketAddress> all = backends.endpoints();
    int first = Math.floorMod(next++, all.size());
    var candidates = new LinkedHashSet<InetSocketAddress>();
    Memory memory = clients.get(client);
    if (memory != null && ticker.nanos() - memory.nanos() < backends.affinity().toNanos()) {
      candidates.add(memory.endpoint());
    }
    for (int i = 0; i < all.size() && candidates.size() < most; i++) {
      candidates.add(all.get((first + i) % all.size()));
    }
    return List.copyOf(candidates);
  }

  /** The client got this endpoint. */
  synchronized void chosen(InetAddress client, InetSocketAddress endpoint) {
    if (backends.affinity().isZero()) {
      return;
    }
    clients.put(client, new Memory(endpoint, ticker.nanos()));
    if (clients.size() > MOST_REMEMBERED) {
      clients.pollFirstEntry();
    }
  }
}
