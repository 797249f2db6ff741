package dev.regroup.server.wire;

/** A resource without its version, printed as Kubernetes does: {@code jobs.batch}, {@code pods}. */
public record GroupResource(String group, String resource) {

  @Override
  public String toString() {
    return group.isEmpty() ? resource : resource + "." + group;
  }
}
