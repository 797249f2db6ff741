package dev.regroup.cli.group;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.ObjectKey;
import java.util.Set;

/** What a command is about: {@code jobset/NAME} or {@code pod/NAME}. */
public record Target(Kind kind, ObjectKey key) {

  /** What can be asked for. */
  public enum Kind {
    JOB_SET,
    POD
  }

  private static final Set<String> JOB_SETS =
      Set.of("jobset", "jobsets", "jobsets.jobset.x-k8s.io");
  private static final Set<String> PODS = Set.of("pod", "pods", "po");

  public static Target of(String text, String namespace) throws CliFailure {
    int slash = text.indexOf('/');
    String kind = slash < 0 ? "" : text.substring(0, slash);
    String name = text.substring(slash + 1);
    if (!name.isEmpty() && JOB_SETS.contains(kind)) {
      return new Target(Kind.JOB_SET, new ObjectKey(namespace, name));
    }
    if (!name.isEmpty() && PODS.contains(kind)) {
      return new Target(Kind.POD, new ObjectKey(namespace, name));
    }
    throw new CliFailure(
        CliFailure.Code.USAGE, "\"%s\" is neither jobset/NAME nor pod/NAME".formatted(text), null);
  }

  @Override
  public String toString() {
    return (kind == Kind.POD ? "pod/" : "jobset/") + key.name();
  }
}
