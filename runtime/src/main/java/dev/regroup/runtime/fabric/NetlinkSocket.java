package dev.regroup.runtime.fabric;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.OptionalInt;

/**
 * A conversation with the network configuration of one namespace: the one its thread was in when it
 * was opened, for ever. Requests go out together in one datagram; the kernel answers each.
 *
 * <p>Not safe for several threads. An answer that does not come within five seconds is an error.
 */
final class NetlinkSocket implements AutoCloseable {
  private static final int AF_NETLINK = 16;
  private static final int SOCK_RAW = 3;
  private static final int NETLINK_ROUTE = 0;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int PATIENCE_SECONDS = 5;
  private static final int LARGEST_ANSWER = 64 * 1024;

  private final Fd fd;
  private int sequence;

  private NetlinkSocket(Fd fd) {
    this.fd = fd;
  }

  static NetlinkSocket open() throws SyscallFailure {
    var fd =
        new Fd(
            (int)
                Linux.call(Syscall.SOCKET, AF_NETLINK, SOCK_RAW | Linux.O_CLOEXEC, NETLINK_ROUTE));
    try (var arena = Arena.ofConfined()) {
      MemorySegment patience = arena.allocateFrom(JAVA_LONG, PATIENCE_SECONDS, 0);
      Linux.call(
          Syscall.SETSOCKOPT,
          fd.number(),
          SOL_SOCKET,
          SO_RCVTIMEO,
          patience.address(),
          patience.byteSize());
      return new NetlinkSocket(fd);
    } catch (SyscallFailure e) {
      fd.close();
      throw e;
    }
  }

  /** Asks for all of it at once; the first refusal that matters is thrown, with its request. */
  void apply(LinkRequest... requests) throws SyscallFailure {
    var open = new HashMap<Integer, LinkRequest>();
    var batch = new ByteArrayOutputStream();
    for (LinkRequest request : requests) {
      open.put(++sequence, request);
      batch.writeBytes(LinkEncoding.encode(request, sequence));
    }
    Linux.write(fd, batch.toByteArray());
    SyscallFailure failure = null;
    while (!open.isEmpty()) {
      for (LinkReply reply : receive()) {
        if (!(reply instanceof LinkReply.Done(int number, int error))) {
          continue;
        }
        LinkRequest request = open.remove(number);
        if (request != null && error != 0 && matters(request) && failure == null) {
          failure = new SyscallFailure(request.toString(), error);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** The number of the link with this name, if there is one. */
  OptionalInt find(String name) throws SyscallFailure {
    var request = new LinkRequest.FindLink(name);
    Linux.write(fd, LinkEncoding.encode(request, ++sequence));
    while (true) {
      for (LinkReply reply : receive()) {
        if (reply.sequence() != sequence) {
          continue;
        }
        if (reply instanceof LinkReply.Link(_, int index, _)) {
          return OptionalInt.of(index);
        }
        if (reply instanceof LinkReply.Done(_, int error)) {
          if (error == Errno.ENODEV) {
            return OptionalInt.empty();
          }
          throw new SyscallFailure(request.toString(), error);
        }
      }
    }
  }

  /** Everything the kernel lists for this question. */
  List<LinkReply> list(LinkRequest question) throws SyscallFailure {
    Linux.write(fd, LinkEncoding.encode(question, ++sequence));
    var all = new ArrayList<LinkReply>();
    while (true) {
      for (LinkReply reply : receive()) {
        if (reply.sequence() != sequence) {
          continue;
        }
        if (reply instanceof LinkReply.Done(_, int error)) {
          if (error != 0) {
            throw new SyscallFailure(question.toString(), error);
          }
          return all;
        }
        all.add(reply);
      }
    }
  }

  @Override
  public void close() {
    fd.close();
  }

  private static boolean matters(LinkRequest request) {
    return switch (request.refusal()) {
      case FAILS -> true;
      case IS_FINE -> false;
    };
  }

  private List<LinkReply> receive() throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LARGEST_ANSWER);
      long length = Linux.call(Syscall.READ, fd.number(), buffer.address(), LARGEST_ANSWER);
      return LinkReply.parse(buffer.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }
}
