package dev.regroup.node.service;

import dev.regroup.node.service.RelayPlan.Backends;

/** One open front. Made, told and closed by the thread that owns all relays. */
sealed interface Relay extends AutoCloseable permits TcpRelay, UdpRelay {

  /** From now on new clients get one of these. */
  void follow(Backends backends);

  /** Nobody new is let in when this returns. */
  @Override
  void close();
}
