package dev.regroup.node.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The Node object as this node describes itself.
 *
 * @param milliCpus thousandths of a CPU
 * @param disk bytes of the file system pods write to
 * @param pods how many pods may run here
 * @param version of this program
 * @param declaredFeatures gates of the node other parts may rely on (GATE-15)
 */
public record NodeObject(
    String name,
    String address,
    long milliCpus,
    long memory,
    long disk,
    int pods,
    String version,
    Machine machine,
    List<String> declaredFeatures) {

  /** The kubelet this node behaves like; the server says the same. */
  private static final String KUBELET = "v1.36.3+regroup";

  /** Facts about the machine, shown by {@code kubectl get nodes -o wide}. */
  public record Machine(
      String architecture, String kernel, String osImage, String machineId, String bootId) {}

  public NodeObject {
    declaredFeatures = declaredFeatures.stream().sorted().toList();
  }

  /** Labels and annotations; the status is written apart. */
  public ObjectNode object() {
    var node = JsonNodeFactory.instance.objectNode();
    node.put("apiVersion", "v1").put("kind", "Node");
    var labels = node.putObject("metadata").put("name", name).putObject("labels");
    labels.put("kubernetes.io/hostname", name);
    labels.put("kubernetes.io/os", "linux").put("beta.kubernetes.io/os", "linux");
    labels.put("kubernetes.io/arch", machine.architecture());
    labels.put("beta.kubernetes.io/arch", machine.architecture());
    node.putObject("spec");
    return node;
  }

  /**
   * Whether the disk below the API takes writes.
   *
   * @param problem what it says; empty when all is well
   * @param since when that began
   */
  public record DiskState(String problem, Instant since) {
    boolean pressed() {
      return !problem.isEmpty();
    }
  }

  /** The whole status; {@code since} is when the node became ready. */
  public ObjectNode status(Instant now, Instant since, DiskState disk) {
    var status = JsonNodeFactory.instance.objectNode();
    resources(status.putObject("capacity"));
    resources(status.putObject("allocatable"));
    var conditions = status.putArray("conditions");
    conditions.add(
        condition(
            "MemoryPressure",
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available",
            now,
            since));
    conditions.add(
        condition(
            "DiskPressure",
            disk.pressed() ? "True" : "False",
            disk.pressed() ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure",
            disk.pressed() ? disk.problem() : "kubelet has no disk pressure",
            now,
            disk.since()));
    conditions.add(
        condition(
            "PIDPressure",
            "False",
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available",
            now,
            since));
    conditions.add(
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", now, since));
    var addresses = status.putArray("addresses");
    addresses.addObject().put("type", "InternalIP").put("address", address);
    addresses.addObject().put("type", "Hostname").put("address", name);
    status.putObject("daemonEndpoints").putObject("kubeletEndpoint").put("Port", 0);
    var info = status.putObject("nodeInfo");
    info.put("machineID", machine.machineId()).put("systemUUID", machine.machineId());
    info.put("bootID", machine.bootId()).put("kernelVersion", machine.kernel());
    info.put("osImage", machine.osImage()).put("operatingSystem", "linux");
    info.put("architecture", machine.architecture());
    info.put("containerRuntimeVersion", "regroup://" + version);
    info.put("kubeletVersion", KUBELET).put("kubeProxyVersion", "");
    var features = status.putArray("declaredFeatures");
    declaredFeatures.forEach(features::add);
    return status;
  }

  private void resources(ObjectNode resources) {
    resources.put("cpu", milliCpus % 1000 == 0 ? "" + milliCpus / 1000 : milliCpus + "m");
    resources.put("ephemeral-storage", disk / 1024 + "Ki");
    resources.put("hugepages-1Gi", "0").put("hugepages-2Mi", "0");
    resources.put("memory", memory / 1024 + "Ki");
    resources.put("pods", String.valueOf(pods));
  }

  private static ObjectNode condition(
      String type, String status, String reason, String message, Instant now, Instant since) {
    var condition = JsonNodeFactory.instance.objectNode();
    condition.put("type", type).put("status", status);
    condition.put("lastHeartbeatTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
    condition.put("lastTransitionTime", since.truncatedTo(ChronoUnit.SECONDS).toString());
    return condition.put("reason", reason).put("message", message);
  }
}
