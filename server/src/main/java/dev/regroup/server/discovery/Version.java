package dev.regroup.server.discovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;

/** The version of Kubernetes whose behaviour this server has. */
public final class Version {
  public static final String GIT_VERSION = "v1.36.3+regroup";

  private Version() {}

  /** {@code /version}. */
  public static ObjectNode document() {
    var json = Wire.object();
    json.put("major", "1").put("minor", "36");
    json.put("emulationMajor", "1").put("emulationMinor", "36");
    json.put("minCompatibilityMajor", "1").put("minCompatibilityMinor", "35");
    json.put("gitVersion", GIT_VERSION).put("gitCommit", "").put("gitTreeState", "");
    json.put("buildDate", "").put("goVersion", "").put("compiler", "");
    return json.put(
        "platform",
        "linux/" + (System.getProperty("os.arch", "").equals("aarch64") ? "arm64" : "amd64"));
  }
}
