package dev.regroup.server.talk;

import java.nio.channels.SocketChannel;

/** Port: connections to what a pod listens on. */
@FunctionalInterface
public interface PortDialer {

  /** Connects; the caller closes. The refusal's text tells who asked why not. */
  SocketChannel connect(int port) throws TalkRefused, InterruptedException;
}
