package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLOSE;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.DUP3;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.OPENAT2;
import static dev.regroup.runtime.linux.Syscall.OPEN_TREE;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_EMPTY_PATH;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.O_PATH;
import static dev.regroup.runtime.tape.Constants.RESOLVE_BENEATH;
import static dev.regroup.runtime.tape.Constants.RESOLVE_NO_MAGICLINKS;

import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The passage that opens a path in a volume containers write to while it runs. Nothing a container
 * does there, at whatever moment, leads out of the volume: the kernel walks the path beneath the
 * volume's own descriptor, what it found is held by a descriptor, and only that is mounted. Missing
 * directories are made in a parent found the same way.
 */
final class SubPathTape {

  private static final int HOW_BYTES = 24;

  /** struct open_how: flags, mode, how to resolve. */
  private static final Arg BENEATH = beneath();

  private final ContainerPlan.Bind bind;
  private final TapeWriter tape;
  private final String fail;
  private final int fd;

  /**
   * Begins.
   *
   * @param fd the lowest free descriptor; the tree will be there
   */
  SubPathTape(ContainerPlan.Bind bind, TapeWriter tape, String fail, int fd) {
    this.bind = bind;
    this.tape = tape;
    this.fail = fail;
    this.fd = fd;
  }

  void open(Arg.Value flags) {
    tape.must(fail, OPENAT, AT_FDCWD, text(bind.source().toString()), O_PATH, n(0));
    String path = bind.subPath();
    for (int slash = -1; slash < path.length(); ) {
      int next = path.indexOf('/', slash + 1);
      int end = next < 0 ? path.length() : next;
      makeDirectory(slash < 0 ? "" : path.substring(0, slash), path.substring(slash + 1, end));
      slash = end;
    }
    tape.must(fail, OPENAT2, n(fd), text(path), BENEATH, n(HOW_BYTES)); // fd + 1
    tape.must(fail, OPEN_TREE, n(fd + 1), text(""), flags.or(AT_EMPTY_PATH)); // fd + 2
    tape.must(fail, DUP3, n(fd + 2), n(fd), n(0));
    tape.attempt(CLOSE_RANGE, n(fd + 1), n(fd + 2), n(0));
  }

  /** What exists is left alone, and what cannot be made is missed when it is opened. */
  private void makeDirectory(String parent, String name) {
    if (parent.isEmpty()) {
      tape.attempt(MKDIRAT, n(fd), text(name), octal(bind.mode()));
      return;
    }
    tape.attempt(OPENAT2, n(fd), text(parent), BENEATH, n(HOW_BYTES)); // fd + 1
    tape.attempt(MKDIRAT, n(fd + 1), text(name), octal(bind.mode()));
    tape.attempt(CLOSE, n(fd + 1));
  }

  private static Arg beneath() {
    var how = ByteBuffer.allocate(HOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    var resolve = RESOLVE_BENEATH.or(RESOLVE_NO_MAGICLINKS);
    how.putLong(0, O_PATH.value()).putLong(16, resolve.value());
    return new Arg.Bytes(how.array(), "{O_PATH, %s}".formatted(resolve.shown()));
  }
}
