package dev.regroup.runtime.tape;

import dev.regroup.runtime.linux.Syscall;
import java.util.List;

/** One record of a tape. */
public sealed interface Step {

  /** As the target of a branch: the first record of the tape that follows. */
  int NEXT_TAPE = -1;

  /** What a negative result means. */
  enum OnError {
    /** The tape goes on; a later branch may look at the result. */
    GOES_ON,
    /** The next record branches away: this result explains a failure. */
    FAILS
  }

  /** Make this call and put the result into a word. */
  record Call(Syscall call, List<Arg> args, Arg.Word result, OnError onError) implements Step {
    public Call {
      args = List.copyOf(args);
      if (args.size() > 6) {
        throw new IllegalArgumentException(call.title() + ": more than 6 arguments");
      }
    }
  }

  /** Compare a word with a number and go on at one of three records. */
  record Branch(Arg.Word word, long number, int less, int equal, int greater) implements Step {}
}
