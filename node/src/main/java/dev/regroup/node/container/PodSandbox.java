package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.pod.CycleFile;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.PodNotices;
import dev.regroup.node.volume.Prepared;
import dev.regroup.node.volume.VolumeFailure;
import dev.regroup.rules.pod.Observed;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Signal;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Map;

/**
 * The sandbox of one pod: made once its volumes are ready, kept through every restart, ended with
 * the pod. Belongs to the pod's worker.
 */
public final class PodSandbox {

  /** Processes would be root of the machine where the pod asks that they are not. */
  private static final String NO_USER_NAMESPACES =
      "this node has no user namespaces (spec.hostUsers: leave it out or set it to true)";

  private final ContainerRuntime runtime;
  private final PodUid uid;
  private final PodNotices notices;
  private final ContainerDescriber starts;
  private final CycleFile cycleFile;

  PodSandbox(
      ContainerRuntime runtime,
      PodUid uid,
      PodNotices notices,
      ContainerDescriber starts,
      CycleFile cycleFile) {
    this.runtime = runtime;
    this.uid = uid;
    this.notices = notices;
    this.starts = starts;
    this.cycleFile = cycleFile;
  }

  /** As the runtime knows it now. */
  public Observed.Sandbox observe() {
    return runtime.sandbox(uid).map(PodSandbox::sandbox).orElse(Observed.Sandbox.NONE);
  }

  private static Observed.Sandbox sandbox(SandboxRecord record) {
    var state =
        switch (record.state()) {
          case READY -> Observed.Sandbox.State.READY;
          case NOT_READY -> Observed.Sandbox.State.LOST;
        };
    var ip = record.address().map(InetAddress::getHostAddress).orElse("");
    return new Observed.Sandbox(state, record.createdAt().toString(), ip);
  }

  /** Volumes first: memory volumes live in the sandbox. */
  public void create(NodePod view, String address) throws EffectFailure, InterruptedException {
    if (Boolean.FALSE.equals(view.pod().getSpec().getHostUsers())) {
      var message = "Failed to create pod sandbox: " + NO_USER_NAMESPACES;
      notices.warn("FailedCreatePodSandBox", message);
      throw new EffectFailure(message, null);
    }
    try {
      var fields = new DownwardApi(view.pod(), starts.facts(address));
      var prepared = starts.volumes().prepare(view.pod(), fields);
      cycleFile.prepare(); // while the sandbox starts
      runtime.startSandbox(spec(view, prepared));
    } catch (ConfigFailure e) {
      var message = "Failed to create pod sandbox: " + e.getMessage();
      notices.warn("FailedCreatePodSandBox", message);
      throw new EffectFailure(message, e);
    } catch (VolumeFailure e) {
      notices.warn("FailedMount", String.valueOf(e.getMessage()));
      throw new EffectFailure(String.valueOf(e.getMessage()), e);
    } catch (RuntimeFailure e) {
      var message = "Failed to create pod sandbox: " + e.getMessage();
      notices.warn("FailedCreatePodSandBox", message);
      throw new EffectFailure(message, e);
    }
  }

  private SandboxSpec spec(NodePod view, Map<String, Prepared> prepared) throws ConfigFailure {
    var memory = new ArrayList<SandboxSpec.MemoryVolume>();
    for (var volume : prepared.values()) {
      if (volume instanceof Prepared.InMemory(var name, var limit, var ownership)) {
        memory.add(
            new SandboxSpec.MemoryVolume(name, limit.orElse(0), ownership.mode(), ownership.gid()));
      }
    }
    return new SandboxSpec(
        uid,
        view.namespace(),
        view.name(),
        Hostname.of(view.pod()).inKernel(view.pod()),
        ContainerDescriber.hostNetwork(view.pod())
            ? SandboxSpec.Network.HOST
            : SandboxSpec.Network.POD,
        memory,
        processes(view.pod().getSpec()),
        Boolean.TRUE.equals(view.pod().getSpec().getHostIPC())
            ? SandboxSpec.Ipc.HOST
            : SandboxSpec.Ipc.POD,
        Sysctls.of(view.pod()));
  }

  private static SandboxSpec.Processes processes(PodSpec spec) {
    if (Boolean.TRUE.equals(spec.getHostPID())) {
      return SandboxSpec.Processes.HOST;
    }
    return Boolean.TRUE.equals(spec.getShareProcessNamespace())
        ? SandboxSpec.Processes.SHARED
        : SandboxSpec.Processes.OWN;
  }

  public void stop() throws EffectFailure, InterruptedException {
    try {
      runtime.stopSandbox(uid);
    } catch (RuntimeFailure e) {
      notices.warn("FailedKillPod", "error killing pod: " + e.getMessage());
      throw new EffectFailure("cannot stop the sandbox: " + e.getMessage(), e);
    }
  }

  /** TERM-11: everything that would not end in time is killed with its sandbox. */
  public void kill() throws EffectFailure, InterruptedException {
    for (var record : runtime.containers(uid)) {
      if (record.state() == RuntimeRecord.State.RUNNING) {
        try {
          runtime.signal(record.key(), Signal.SIGKILL);
        } catch (RuntimeFailure e) {
          if (e.kind() != RuntimeFailure.Kind.WRONG_STATE) { // else it ended meanwhile
            notices.warn("FailedKillPod", "error killing pod: " + e.getMessage());
          }
        }
      }
    }
    stop();
  }
}
