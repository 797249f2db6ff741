package dev.regroup.agent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/** The bytes of a connection to the API server. Closed by any thread, used by one. */
sealed interface ApiWire extends Closeable {

  InputStream in() throws IOException;

  OutputStream out() throws IOException;

  boolean isClosed();

  /** The longest silence that is no failure. */
  void patience(Duration silence) throws IOException;

  /** A server that vanishes without a word is noticed within a minute. */
  void noticeLostPeer() throws IOException;

  /** Over the network. */
  record Network(Socket socket) implements ApiWire {

    @Override
    public InputStream in() throws IOException {
      return socket.getInputStream();
    }

    @Override
    public OutputStream out() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public boolean isClosed() {
      return socket.isClosed();
    }

    @Override
    public void patience(Duration silence) throws IOException {
      socket.setSoTimeout((int) silence.toMillis());
    }

    @Override
    public void noticeLostPeer() throws IOException {
      socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 20);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Inside of one machine: the kernel tells at once when the other side has ended. */
  record Local(SocketChannel channel) implements ApiWire {

    @Override
    public InputStream in() {
      return Channels.newInputStream(channel);
    }

    @Override
    public OutputStream out() {
      return Channels.newOutputStream(channel);
    }

    @Override
    public boolean isClosed() {
      return !channel.isOpen();
    }

    @Override
    public void patience(Duration silence) {}

    @Override
    public void noticeLostPeer() {}

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
