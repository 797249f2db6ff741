package dev.regroup.cli.run;

import dev.regroup.rules.pod.ContainerId;
import java.time.Duration;
import java.time.Instant;

/** Where a run is shown. Calls come from several threads. */
public interface RunScreen {

  /** Whose output a line is; {@code prefix} is what people call it. */
  record Source(String pod, String prefix, ContainerId instance) {}

  /** Something happened, so long after the run began. */
  void said(Duration since, String line);

  /** A line of a container's output, and when it was written. */
  void output(Source source, Instant at, String line);

  /** A remark of the program itself. */
  void note(String line);

  /** The workload changed in a way that a view of it may show. */
  default void changed() {}
}
