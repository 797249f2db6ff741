package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLOCK_GETTIME;
import static dev.regroup.runtime.linux.Syscall.CLOSE;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.FCHOWNAT;
import static dev.regroup.runtime.linux.Syscall.GETPID;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.PIPE2;
import static dev.regroup.runtime.linux.Syscall.PWRITE64;
import static dev.regroup.runtime.linux.Syscall.READ;
import static dev.regroup.runtime.linux.Syscall.SENDTO;
import static dev.regroup.runtime.linux.Syscall.SETNS;
import static dev.regroup.runtime.linux.Syscall.SETSID;
import static dev.regroup.runtime.linux.Syscall.UNSHARE;
import static dev.regroup.runtime.linux.Syscall.WAIT4;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_EMPTY_PATH;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.CLOCK_REALTIME;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWCGROUP;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWNS;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWPID;
import static dev.regroup.runtime.tape.Constants.LAST_FD;
import static dev.regroup.runtime.tape.Constants.MSG_NOSIGNAL;
import static dev.regroup.runtime.tape.Constants.MS_REC;
import static dev.regroup.runtime.tape.Constants.MS_SLAVE;
import static dev.regroup.runtime.tape.Constants.O_CREAT;
import static dev.regroup.runtime.tape.Constants.O_NONBLOCK;
import static dev.regroup.runtime.tape.Constants.O_RDONLY;
import static dev.regroup.runtime.tape.Constants.O_WRONLY;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig.Privilege;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * The life of one container as a list of system calls:
 *
 * <ol>
 *   <li>log and state files, while the host's paths are still there, a pipe for the output, and
 *       something to read (see {@link ConsoleTape});
 *   <li>into the pod's namespaces, own mount and process namespace, root file system;
 *   <li>a child in the container's control groups, with its view of the kernel's files;
 *   <li>if it was prepared in advance, the child waits for the word to go on;
 *   <li>it becomes the container's command, PID 1 of its namespace unless the pod shares one
 *       (SEQ-10);
 *   <li>the rest stays as its parent: copies its output to the log (see {@link LogTape}), waits,
 *       notes how and when it ended, ends.
 * </ol>
 *
 * <p>What started is noted before the command exists: by the parent, or by the child that waited,
 * which then knows the numbers of both. So a run without that note never ran, whatever its parent
 * saw end.
 *
 * <p>INVARIANT: descriptors are handed out lowest first, so the numbers below are what the kernel
 * returns. The two state files are written full of zeros before anything happens: a full disk stops
 * the start, never the note of the end.
 */
public final class ContainerTape {

  /** The sandbox's process; the first given is the lock that says the supervisor lives. */
  static final int SANDBOX_FD = TapeRunner.FIRST_FREE_FD + 1;

  /**
   * The overlays of {@link ContainerPlan#root}, one after the other; behind them, if it has one,
   * the container whose processes it sees.
   */
  static final int OVERLAY_FD = 7;

  private static final StateFile.Start NOBODY = new StateFile.Start(0, 0, Instant.EPOCH);
  private static final String FAIL = "fail";
  private static final String CHILD = "child";
  private static final String CHILD_FAIL = "child-fail";

  private final ContainerPlan plan;
  private final TapeWriter tape;
  private final Arg.Word zeros;
  private final Arg.Word start; // supervisor, child, seconds, nanoseconds
  private final Arg.Word exit; // wait status, seconds, nanoseconds
  private final int targetFd;
  private final LogTape output;
  private final ConsoleTape console;
  private final int exitFd;
  private final int startFd;
  private final int errorFd;
  private final GroupTape groups;
  private final int lifeFd; // of a pipe: the child reads its end when the supervisor has ended

  private ContainerTape(ContainerPlan plan, String name) {
    this(plan, name, NOBODY);
  }

  private ContainerTape(ContainerPlan plan, String name, StateFile.Start known) {
    this.plan = plan;
    this.tape = new TapeWriter(name);
    this.zeros = tape.words("zeros", 4);
    this.start = tape.preset("start", known.supervisor(), known.child(), 0, 0);
    this.exit = tape.words("exit", 3);
    targetFd = OVERLAY_FD + (int) plan.root().stream().filter(RootEntry::isMade).count();
    int given = targetFd + (plan.processes() instanceof ContainerPlan.TargetProcesses ? 1 : 0);
    output = new LogTape(tape, FAIL, given);
    console = new ConsoleTape(plan, tape, FAIL);
    exitFd = output.nextFd();
    startFd = exitFd + 1;
    errorFd = startFd + 1;
    groups = new GroupTape(plan.membership(), tape, FAIL, errorFd + 1);
    lifeFd = groups.nextFd() + plan.mounts().size();
  }

  /** The whole life. */
  public static Tape of(ContainerPlan plan) {
    var life = new ContainerTape(plan, "container");
    life.setUp();
    life.note(); // without a child's number: who finds this knows that there may have been one
    life.split();
    life.keep();
    life.tell();
    life.supervise();
    life.enter();
    life.become();
    life.childFailing();
    return life.ended();
  }

  /**
   * Everything up to the command: the parent says which processes these are and supervises, the
   * child says that it is ready and waits. They end with this program, if not told before.
   */
  public static Tape prepared(ContainerPlan plan) {
    var life = new ContainerTape(plan, "container-prepared");
    life.setUp();
    life.split();
    life.tell();
    life.supervise();
    life.enter();
    life.await();
    life.childFailing();
    return life.ended();
  }

  /**
   * How the child of a prepared one goes on; command and environment may be others than in its
   * plan.
   *
   * @param prepared what its parent said
   */
  public static Tape goingOn(ContainerPlan plan, StateFile.Start prepared) {
    var life = new ContainerTape(plan, "container-goes-on", prepared);
    life.note();
    life.tell();
    life.become();
    life.childFailing();
    return life.tape.tape();
  }

  private void setUp() {
    files();
    groups.open();
    namespaces();
    new RootTape(plan, tape, FAIL, groups.nextFd()).write();
    console.openTerminal(lifeFd);
    tape.into(TapeWriter.at(start, 0), GETPID);
  }

  private void childFailing() {
    TapeParts.failing(tape, CHILD_FAIL, errorFd, TapeParts.CHILD_FAILED);
  }

  private Tape ended() {
    TapeParts.failing(tape, FAIL, errorFd, TapeParts.SETUP_FAILED);
    return tape.tape();
  }

  private void files() {
    tape.attempt(CLOSE_RANGE, n(0), n(2), n(0));
    tape.attempt(CLOSE_RANGE, n(output.firstFd()), LAST_FD, n(0));
    console.openInput(); // 0
    output.open(plan.log()); // 1, 2
    var user = plan.spec().user();
    if (user.uid() != 0) { // so that it may open /dev/stdout again
      tape.attempt(FCHOWNAT, n(1), text(""), n(user.uid()), n(user.gid()), AT_EMPTY_PATH);
    }
    tape.must(FAIL, SETSID);
    for (String name : List.of(Layout.EXIT, Layout.START, Layout.ERROR)) { // in this order
      Path file = plan.run().resolve(name);
      tape.must(FAIL, OPENAT, AT_FDCWD, text(file.toString()), O_WRONLY.or(O_CREAT), octal(0600));
    }
    tape.must(FAIL, PWRITE64, n(exitFd), zeros, n(StateFile.EXIT_BYTES), n(0));
    tape.must(FAIL, PWRITE64, n(startFd), zeros, n(StateFile.START_BYTES), n(0));
  }

  private void namespaces() {
    var shared = plan.level().ofSandbox(plan.network(), plan.ipc());
    switch (plan.processes()) {
      case ContainerPlan.OwnProcesses() -> {
        tape.must(FAIL, SETNS, n(SANDBOX_FD), shared);
        tape.must(FAIL, UNSHARE, CLONE_NEWNS.or(CLONE_NEWPID));
      }
      case ContainerPlan.HostProcesses() -> {
        tape.must(FAIL, SETNS, n(SANDBOX_FD), shared);
        tape.must(FAIL, UNSHARE, CLONE_NEWNS);
      }
      case ContainerPlan.SharedProcesses(int holder) -> joinProcesses(shared, holder);
      case ContainerPlan.TargetProcesses() -> {
        tape.must(FAIL, SETNS, n(SANDBOX_FD), shared);
        tape.must(FAIL, SETNS, n(targetFd), CLONE_NEWPID);
        tape.must(FAIL, UNSHARE, CLONE_NEWNS);
      }
    }
    tape.must(FAIL, MOUNT, NULL, text("/"), NULL, MS_REC.or(MS_SLAVE), NULL);
  }

  /**
   * The holder itself lives outside the namespace it made for its children, so its descriptor does
   * not lead there, only this path does. The number is still the holder's if joining by the
   * descriptor works afterwards.
   */
  private void joinProcesses(Arg.Value others, int holder) {
    String path = "/proc/%d/ns/pid_for_children".formatted(holder);
    tape.must(FAIL, OPENAT, AT_FDCWD, text(path), O_RDONLY, n(0));
    tape.must(FAIL, SETNS, n(SANDBOX_FD), others);
    tape.must(FAIL, SETNS, n(groups.nextFd()), CLONE_NEWPID);
    tape.attempt(CLOSE, n(groups.nextFd())); // the number is free again
    tape.must(FAIL, UNSHARE, CLONE_NEWNS);
  }

  /** The child has all but its command. */
  private void await() {
    var ready = text(TapeRunner.READY);
    tape.must(
        CHILD_FAIL,
        SENDTO,
        n(TapeRunner.CONTROL_FD),
        ready,
        n(TapeRunner.READY.length()),
        MSG_NOSIGNAL,
        NULL,
        n(0));
    var word = tape.words("word", 1);
    tape.label("await");
    var told = tape.blame(READ, n(TapeRunner.CONTROL_FD), word, n(Long.BYTES));
    tape.branch(told, -Errno.EINTR, CHILD_FAIL, "await", null);
    tape.branch(told, 0, CHILD_FAIL, null, "told");
    tape.attempt(EXIT_GROUP, n(0));
    tape.label("told");
    tape.handOver(CHILD_FAIL);
  }

  /** Notes what starts, and when. */
  private void note() {
    tape.attempt(CLOCK_GETTIME, CLOCK_REALTIME, TapeWriter.at(start, 2));
    keep();
  }

  private void keep() {
    tape.attempt(PWRITE64, n(startFd), start, n(StateFile.START_BYTES), n(0));
  }

  private void split() {
    tape.must(FAIL, PIPE2, tape.words("life", 1), O_NONBLOCK);
    var pid = TapeWriter.at(start, 1);
    groups.splitHolding(pid, CHILD, tape.words("pidfd", 1));
  }

  /** Says which processes these are. */
  private void tell() {
    tape.attempt(
        SENDTO,
        n(TapeRunner.CONTROL_FD),
        start,
        n(StateFile.START_BYTES),
        MSG_NOSIGNAL,
        NULL,
        n(0));
  }

  private void supervise() {
    // Few stay open: lock, output, exit file, the pipe that shows this life, child. The control
    // socket's end says "running".
    tape.attempt(CLOSE_RANGE, n(0), n(TapeRunner.CONTROL_FD), n(0));
    tape.attempt(CLOSE_RANGE, n(SANDBOX_FD), n(output.firstFd() - 1L), n(0));
    tape.attempt(CLOSE_RANGE, n(startFd), n(lifeFd), n(0));
    console.closeOthers(childFd() + 1);
    switch (plan.spec().console()) {
      case NONE -> output.copyUntilEnd(childFd(), "wait");
      case INPUT -> output.copyAndHold(childFd(), "wait");
      case TERMINAL -> output.copyTerminal(childFd(), "wait");
    }
    var waited = tape.words("waited", 1);
    tape.label("wait");
    tape.into(waited, WAIT4, n(-1), exit, n(0), NULL);
    tape.branch(waited, -Errno.EINTR, null, "wait", null);
    tape.attempt(CLOCK_GETTIME, CLOCK_REALTIME, TapeWriter.at(exit, 1));
    tape.attempt(PWRITE64, n(exitFd), exit, n(StateFile.EXIT_BYTES), n(0));
    tape.attempt(EXIT_GROUP, n(0));
  }

  /** The lowest free descriptor when the child is made: behind the pipe. */
  private int childFd() {
    return lifeFd + 2;
  }

  /** The child's first part: everything that does not depend on its command. */
  private void enter() {
    groups.join(CHILD, CHILD_FAIL, childFd()); // the parent's number for it is free here
    tape.attempt(CLOSE, n(lifeFd + 1L));
    TapeParts.endWithParent(tape, lifeFd);
    tape.must(CHILD_FAIL, SETSID);
    var user = plan.spec().user();
    if (plan.spec().console() == Console.TERMINAL) {
      ConsoleTape.control(tape, CHILD_FAIL, user);
    }
    if (user.privilege() == Privilege.ORDINARY) {
      tape.attempt(UNSHARE, CLONE_NEWCGROUP); // behind joining: its group is the root it sees
    }
    RootTape.kernelFiles(plan, tape, CHILD_FAIL);
  }

  private void become() {
    var spec =
        plan.spec().console() == Console.TERMINAL ? ConsoleTape.withTerm(plan.spec()) : plan.spec();
    TapeParts.become(tape, CHILD_FAIL, spec, spec.argv(), plan.filter(), lifeFd);
  }
}
