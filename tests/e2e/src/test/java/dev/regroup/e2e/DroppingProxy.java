package dev.regroup.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes TCP connections on to a server of this machine and drops them when it is told to, as a
 * network does: without a good bye.
 */
final class DroppingProxy implements AutoCloseable {

  private final ServerSocket door;
  private final InetSocketAddress server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private DroppingProxy(InetSocketAddress server) throws IOException {
    this.server = server;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    begin("door", this::letIn);
  }

  static DroppingProxy before(int port) throws IOException {
    return new DroppingProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  int port() {
    return door.getLocalPort();
  }

  /** Whether somebody is connected with the server. */
  boolean hasConnection() {
    return sockets.size() >= 2;
  }

  /** Resets every connection there is and returns how many that were. */
  int drop() {
    var all = new ArrayList<>(sockets);
    all.forEach(this::reset);
    return all.size() / 2;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    door.close();
    drop();
    for (var thread : threads) {
      thread.join();
    }
  }

  private void letIn() {
    try {
      while (true) {
        var client = door.accept();
        sockets.add(client);
        begin("connection", () -> pass(client));
      }
    } catch (IOException e) {
      return; // closed
    }
  }

  private void pass(Socket client) {
    try (client;
        var target = new Socket()) {
      sockets.add(target);
      target.connect(server);
      begin("answers", () -> copy(target, client));
      copy(client, target);
    } catch (IOException e) {
      reset(client);
    }
  }

  private void copy(Socket from, Socket to) {
    try {
      copy(from.getInputStream(), to.getOutputStream());
    } catch (IOException e) {
      // dropped, by this proxy or by one of the two
    } finally {
      reset(from);
      reset(to);
    }
  }

  private static void copy(InputStream from, OutputStream to) throws IOException {
    var buffer = new byte[1 << 16];
    for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
      to.write(buffer, 0, count);
    }
  }

  private void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0); // a reset, not an end
      socket.close();
    } catch (IOException e) {
      // it is gone already
    } finally {
      sockets.remove(socket);
    }
  }

  private void begin(String name, Runnable work) {
    var thread = Thread.ofPlatform().daemon().name("proxy-" + name).unstarted(work);
    threads.add(thread);
    thread.start();
  }
}
