package dev.regroup.runtime.embedded;

import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.SENDTO;
import static dev.regroup.runtime.linux.Syscall.UMOUNT2;
import static dev.regroup.runtime.linux.Syscall.UNSHARE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWNS;
import static dev.regroup.runtime.tape.Constants.MNT_DETACH;
import static dev.regroup.runtime.tape.Constants.MSG_NOSIGNAL;
import static dev.regroup.runtime.tape.Constants.MS_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_REC;
import static dev.regroup.runtime.tape.Constants.MS_SLAVE;

import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A tape that tries an overlay on each of some directories and reports which the kernel refuses.
 */
final class OverlayProbe {

  private OverlayProbe() {}

  static Tape of(List<Path> directories, Path scratch, Path mountPoint) {
    var tape = new TapeWriter("overlay-probe");
    var results = tape.words("overlay", Math.max(1, directories.size())); // the report begins here
    TapeParts.detach(tape, "report", TapeRunner.FIRST_FREE_FD);
    tape.must("report", UNSHARE, CLONE_NEWNS);
    tape.must("report", MOUNT, NULL, text("/"), NULL, MS_REC.or(MS_SLAVE), NULL);
    for (int i = 0; i < directories.size(); i++) {
      String upper = scratch.resolve("upper" + i).toString();
      String work = scratch.resolve("work" + i).toString();
      tape.attempt(MKDIRAT, AT_FDCWD, text(upper), octal(0755));
      tape.attempt(MKDIRAT, AT_FDCWD, text(work), octal(0755));
      tape.into(
          TapeWriter.at(results, i),
          MOUNT,
          text("overlay"),
          text(mountPoint.toString()),
          text("overlay"),
          MS_NODEV,
          text(RootTape.options(directories.get(i), upper, work)));
      tape.attempt(UMOUNT2, text(mountPoint.toString()), MNT_DETACH);
    }
    tape.label("report");
    tape.attempt(
        SENDTO,
        n(TapeRunner.CONTROL_FD),
        TapeWriter.report(),
        new Arg.ReportSize(),
        MSG_NOSIGNAL,
        NULL,
        n(0));
    tape.attempt(EXIT_GROUP, n(0));
    return tape.tape();
  }

  static List<Path> refused(List<Path> directories, byte[] report) {
    var words = ByteBuffer.wrap(report).order(ByteOrder.LITTLE_ENDIAN);
    var refused = new ArrayList<Path>();
    for (int i = 0; i < directories.size(); i++) {
      if (words.getLong(i * Long.BYTES) < 0) {
        refused.add(directories.get(i));
      }
    }
    return refused;
  }
}
