package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import java.io.PrintWriter;
import java.nio.file.Files;

/** What runs that were killed have left: containers, networks and temporary directories. */
public final class AbandonedRuns {

  private AbandonedRuns() {}

  /** Ends and deletes it, and says so. What resists is told and left: it must not stop others. */
  public static void remove(PrintWriter err) throws InterruptedException {
    try {
      for (var directory : RunDirectory.abandoned()) {
        try (directory) {
          if (Files.isDirectory(directory.data())) {
            LocalCluster.endEverything(directory.data());
          }
          err.println("regroup: cleaned up after a run that was killed");
        }
      }
    } catch (CliFailure e) {
      err.println("regroup: warning: what a killed run has left stays: " + e.getMessage());
    }
  }
}
