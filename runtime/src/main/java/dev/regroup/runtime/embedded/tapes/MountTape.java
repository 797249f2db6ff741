package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.MOUNT_SETATTR;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.MOUNT_ATTR_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_BIND;

import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The calls that make a place and mount something there, each of which must succeed. */
record MountTape(TapeWriter tape, String fail) {

  /** Size of struct mount_attr. */
  static final int ATTR_BYTES = 32;

  void directory(String name) {
    tape.must(fail, MKDIRAT, AT_FDCWD, text(name), octal(0755));
  }

  void mount(String source, String target, String type, Arg.Value flags, @Nullable String options) {
    Arg data = options == null ? NULL : text(options);
    tape.must(fail, MOUNT, text(source), text(target), text(type), flags, data);
  }

  void bind(String source, String target) {
    tape.must(fail, MOUNT, text(source), text(target), NULL, MS_BIND, NULL);
  }

  /** No device file in it can be opened. */
  void bindWithoutDevices(String source, String target) {
    bind(source, target);
    setAttributes(target, MOUNT_ATTR_NODEV);
  }

  /** Of the mount that shows at this name, not of what lies below. */
  void setAttributes(String name, Arg.Value attributes) {
    tape.must(fail, MOUNT_SETATTR, AT_FDCWD, text(name), n(0), set(attributes), n(ATTR_BYTES));
  }

  /** struct mount_attr: set these, clear nothing. */
  static Arg set(Arg.Value attributes) {
    var bytes = ByteBuffer.allocate(ATTR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(attributes.value());
    return new Arg.Bytes(bytes.array(), "{attr_set=%s}".formatted(attributes.shown()));
  }
}
