package dev.regroup.node.volume;

import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * The group a pod's volumes belong to ({@code securityContext.fsGroup}), applied as the kubelet
 * does: what is in a volume belongs to the group, the group may read it (and write where the pod
 * may), and what is made in a directory later belongs to it, too. Volumes of the host keep theirs.
 */
record FsGroup(OptionalInt gid) {

  private static final int SET_GROUP_ID = 02000;
  private static final int READ_WRITE = 0660;
  private static final int READ = 0440;
  private static final int SEARCH = 0110;

  static FsGroup of(Pod pod) {
    var context = pod.getSpec().getSecurityContext();
    return context == null || context.getFsGroup() == null
        ? new FsGroup(OptionalInt.empty())
        : new FsGroup(OptionalInt.of(Math.toIntExact(context.getFsGroup())));
  }

  /** Permission bits of a directory the pod may write to. */
  int writable(int mode) {
    return gid.isEmpty() ? mode : mode | SET_GROUP_ID | READ_WRITE | SEARCH;
  }

  void giveWritable(Path directory) throws IOException {
    give(directory, SET_GROUP_ID | READ_WRITE | SEARCH);
  }

  void giveReadable(Path directory) throws IOException {
    give(directory, SET_GROUP_ID | READ | SEARCH);
  }

  void giveFile(Path file) throws IOException {
    give(file, READ);
  }

  /** The owner first: changing it takes bits of the mode away. */
  private void give(Path path, int mode) throws IOException {
    if (gid.isPresent()) {
      Files.setAttribute(path, "unix:gid", gid.getAsInt());
      int now = (Integer) Files.getAttribute(path, "unix:mode");
      Files.setAttribute(path, "unix:mode", (now & 07777) | mode);
    }
  }
}
