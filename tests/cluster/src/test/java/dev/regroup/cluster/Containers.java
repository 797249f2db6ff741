package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processes of containers, as the machine sees them. */
final class Containers {

  private Containers() {}

  /** SIGKILL for all processes of a container. */
  static void kill(JsonNode pod, String container) throws IOException {
    var id = status(pod, container).path("containerID").asText();
    var group = id.substring(id.indexOf("://") + 3);
    int killed = 0;
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (var process : processes) {
        if (isIn(group, process)) {
          var pid = Long.parseLong(process.getFileName().toString());
          killed +=
              ProcessHandle.of(pid).filter(ProcessHandle::destroyForcibly).isPresent() ? 1 : 0;
        }
      }
    }
    assertThat(killed).as("processes of %s", id).isPositive();
  }

  /** The status of a container of any kind. */
  static JsonNode status(JsonNode pod, String container) {
    for (var list : new String[] {"initContainerStatuses", "containerStatuses"}) {
      for (var status : pod.path("status").path(list)) {
        if (status.path("name").asText().equals(container)) {
          return status;
        }
      }
    }
    throw new AssertionError("no container " + container + " in " + pod.path("status"));
  }

  private static boolean isIn(String group, Path process) {
    try {
      return Files.readString(process.resolve("cgroup")).contains(group);
    } catch (IOException e) {
      return false; // it ended while we looked
    }
  }
}
