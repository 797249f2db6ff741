package dev.regroup.cli.check;

import dev.regroup.api.Gates;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where a manifest is meant to run: here, or on a Kubernetes of some version (ACT-14). */
public sealed interface CheckTarget {

  /** {@code regroup run} and {@code up}. */
  record Local() implements CheckTarget {}

  /** A cluster with the default gates of its version. */
  record Kubernetes(int minor) implements CheckTarget {

    private static final int RULES_KNOWN = 34;
    private static final int RULES_ON = 35;
    private static final int RESTART_ALL_ON = 36;

    /**
     * Its gates (node.md 1.5). In-place restart of JobSets is taken as on: who uses the strategy
     * installs a controller that has it.
     */
    Gates gates() {
      var off = new StringBuilder("InPlaceRestart=true");
      if (minor < RESTART_ALL_ON) {
        off.append(",RestartAllContainersOnContainerExits=false,NodeDeclaredFeatures=false");
      }
      if (minor < RULES_ON) {
        off.append(",ContainerRestartRules=false");
      }
      return Gates.upstream().with(off.toString()).gates();
    }

    boolean knowsRules() {
      return minor >= RULES_KNOWN;
    }

    boolean usesRules() {
      return minor >= RULES_ON;
    }

    @Override
    public String toString() {
      return "Kubernetes 1." + minor;
    }
  }

  Pattern VERSION = Pattern.compile("kubernetes:1\\.(\\d{1,3})");

  static Optional<CheckTarget> parse(String text) {
    if (text.equals("local")) {
      return Optional.of(new Local());
    }
    var version = VERSION.matcher(text);
    return version.matches()
        ? Optional.of(new Kubernetes(Integer.parseInt(version.group(1))))
        : Optional.empty();
  }
}
