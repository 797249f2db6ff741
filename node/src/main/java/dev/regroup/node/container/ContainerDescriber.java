package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.env.Environment;
import dev.regroup.node.env.Expansion;
import dev.regroup.node.env.PodFacts;
import dev.regroup.node.env.ServiceVariables;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodeServices;
import dev.regroup.node.pod.PodDirectory;
import dev.regroup.node.progress.PodProgram;
import dev.regroup.node.volume.Mounts;
import dev.regroup.node.volume.VolumeEnvFiles;
import dev.regroup.node.volume.VolumeFailure;
import dev.regroup.node.volume.Volumes;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount;
import dev.regroup.runtime.ContainerKey;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/** Describes what the runtime has to start: evaluated anew for every start (SEQ-30). */
public final class ContainerDescriber {

  private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final String GROUP_DIRECTORY = "/var/run/jobset";

  private final NodeServices services;
  private final PodDirectory directory;
  private final SeccompProfiles seccomp;

  ContainerDescriber(NodeServices services, PodDirectory directory) {
    this.services = services;
    this.directory = directory;
    this.seccomp = new SeccompProfiles(services.directory().resolve("seccomp"));
  }

  PodFacts facts(String address) {
    return new PodFacts(
        services.nodeName(), services.hostIp(), address, services.cpus(), services.memory());
  }

  Volumes volumes() {
    return volumes(services.configs());
  }

  Volumes volumes(Configs configs) {
    return new Volumes(directory.volumes(), configs, services.claims());
  }

  /**
   * When and where a container starts.
   *
   * @param attempt of the group the pod is at, for its workers (JS-166)
   * @param sandbox that it starts in
   */
  record Round(int epoch, OptionalInt attempt, String address, String sandbox) {}

  ContainerConfig describe(NodePod view, Container container, ContainerKey key, Round round)
      throws ConfigFailure, VolumeFailure, IOException, InterruptedException {
    try {
      var config = described(view, container, key, round);
      checkTexts(config);
      return config;
    } catch (IllegalArgumentException e) { // API servers take any text where a path belongs
      throw new ConfigFailure(String.valueOf(e.getMessage()).replace("\0", "\\0"));
    }
  }

  /** The kernel would take what stands before a NUL for the whole. Values may be secrets. */
  private static void checkTexts(ContainerConfig config) throws ConfigFailure {
    var texts = new LinkedHashMap<String, String>();
    texts.put("command", String.join(" ", config.argv()));
    config.env().forEach((name, value) -> texts.put("env " + name, name + value));
    config.mounts().forEach(mount -> texts.put("mountPath " + mount.target(), mount.target()));
    texts.put("workingDir", config.workingDir());
    texts.put("terminationMessagePath", config.terminationMessagePath());
    for (var text : texts.entrySet()) {
      if (text.getValue().indexOf('\0') >= 0) {
        throw new ConfigFailure(text.getKey().replace("\0", "\\0") + ": must not contain a NUL");
      }
    }
  }

  private ContainerConfig described(
      NodePod view, Container container, ContainerKey key, Round round)
      throws ConfigFailure, VolumeFailure, IOException, InterruptedException {
    var pod = view.pod();
    var fields = new DownwardApi(pod, facts(round.address()));
    var description = new ContainerDescription(pod, container);
    var volumes = volumes().prepare(pod, fields);
    var declared = declared(view, container, fields, round.attempt(), new VolumeEnvFiles(volumes));
    var program = services.images().program(container.getImage(), description.words());
    if (program.argv().isEmpty()) {
      throw new ConfigFailure(
          "no command specified (images are not unpacked yet: set command or args)");
    }
    var mounts = new ArrayList<>(Mounts.of(container, volumes, declared));
    program.mounts().forEach(mount -> addUnlessTaken(mount, mounts));
    addEtcFiles(pod, round.address(), mounts);
    if (isWorker(view, container.getName()) && round.attempt().isPresent()) {
      addAttempt(round.attempt().getAsInt(), declared, mounts);
    }
    return new ContainerConfig(
        key,
        round.epoch(),
        Expansion.expandAll(program.argv(), declared), // what images have is not replaced
        environment(pod, description.user().uid(), program.places(), declared),
        container.getWorkingDir() == null || container.getWorkingDir().isEmpty()
            ? "/"
            : container.getWorkingDir(),
        mounts,
        description.user().withSeccomp(seccomp.of(description.seccompProfile())),
        description.root(),
        description.limits(),
        container.getTerminationMessagePath() == null
            ? ContainerConfig.DEFAULT_TERMINATION_MESSAGE_PATH
            : container.getTerminationMessagePath(),
        target(pod, container),
        console(container),
        ContainerLabels.ofStart(
            Objects.requireNonNullElse(container.getImage(), ""),
            fingerprint(view, container.getName()),
            round.sandbox()));
  }

  private static Console console(Container container) {
    if (Boolean.TRUE.equals(container.getTty())) {
      return Console.TERMINAL;
    }
    return Boolean.TRUE.equals(container.getStdin()) ? Console.INPUT : Console.NONE;
  }

  /** Of the definition it is made from: another one later means another container (DEC-49). */
  private static String fingerprint(NodePod view, String container) {
    return view.spec().containers().stream()
        .filter(spec -> spec.name().equals(container))
        .findFirst()
        .map(ContainerSpec::fingerprint)
        .orElse("");
  }

  /** The container whose processes an ephemeral one sees ({@code kubectl debug --target}). */
  private static String target(Pod pod, Container container) {
    return pod.getSpec().getEphemeralContainers().stream()
        .filter(ephemeral -> ephemeral.getName().equals(container.getName()))
        .map(ephemeral -> ephemeral.getTargetContainerName())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse("");
  }

  /** What the container's manifest says, on top of what an image and its runtime would. */
  private static Map<String, String> environment(
      Pod pod, int user, List<String> places, Map<String, String> declared) throws ConfigFailure {
    var environment = new LinkedHashMap<String, String>();
    environment.put("PATH", places.isEmpty() ? PATH : PATH + ":" + String.join(":", places));
    environment.put(
        "HOSTNAME", hostNetwork(pod) ? Hostname.ofMachine() : Hostname.of(pod).inKernel(pod));
    environment.put("HOME", Homes.of(user));
    environment.putAll(declared);
    return environment;
  }

  private Map<String, String> declared(
      NodePod view,
      Container container,
      DownwardApi fields,
      OptionalInt attempt,
      Environment.Files files)
      throws ConfigFailure, InterruptedException {
    var given = new LinkedHashMap<>(ServiceVariables.of(services.services(), view.pod()));
    if (isRegular(view, container.getName())) {
      // After services: one called "master" has a variable of the same name, for something else.
      given.putAll(services.groups().rendezvous(view.pod()));
    }
    var declared =
        new Environment(services.configs(), view.namespace(), fields, given, files).of(container);
    if (isWorker(view, container.getName()) && attempt.isPresent()) {
      declared.put("JOBSET_RESTART_ATTEMPT", String.valueOf(attempt.getAsInt()));
      declared.putIfAbsent("JOBSET_RESTART_DIR", GROUP_DIRECTORY);
    }
    return declared;
  }

  private void addEtcFiles(Pod pod, String address, List<Mount> mounts)
      throws IOException, ConfigFailure {
    var resolvConf = services.resolvConf().apply(pod);
    var files =
        hostNetwork(pod)
            ? EtcFiles.writeBeside(directory.etc(), pod, resolvConf)
            : EtcFiles.write(directory.etc(), pod, address, resolvConf);
    files.forEach((target, file) -> addUnlessTaken(Mount.of(file, target), mounts));
  }

  private void addAttempt(int attempt, Map<String, String> environment, List<Mount> mounts)
      throws IOException {
    writeAttempt(attempt);
    var target = environment.getOrDefault("JOBSET_RESTART_DIR", GROUP_DIRECTORY);
    addUnlessTaken(Mount.readOnly(directory.group(), target), mounts);
    addUnlessTaken(Mount.of(directory.progress(), target + "/progress"), mounts);
  }

  /** What the manifest mounts itself wins. */
  private static void addUnlessTaken(Mount mount, List<Mount> mounts) {
    if (mounts.stream().noneMatch(taken -> taken.target().equals(mount.target()))) {
      mounts.add(mount);
    }
  }

  /** The attempt for workers that read a file, replaced as a whole (JS-166). */
  private void writeAttempt(int attempt) throws IOException {
    Files.createDirectories(directory.group());
    var file = directory.group().resolve("attempt");
    var text = attempt + "\n";
    if (Files.exists(file)
        && Files.readString(file).equals(text)
        && Files.exists(directory.progress())) {
      return;
    }
    var temporary = directory.group().resolve(".attempt.new");
    PodProgram.makeFile(directory.progress()); // a new attempt has not told a step yet
    Files.writeString(temporary, text);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  public static boolean hostNetwork(Pod pod) {
    return Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
  }

  /** Whether this container is held at the group's barrier (JS-165). */
  private static boolean isWorker(NodePod view, String container) {
    return view.spec().barrier() == BarrierRole.NODE_AGENT && isRegular(view, container);
  }

  private static boolean isRegular(NodePod view, String container) {
    return view.spec().regular().stream().anyMatch(spec -> spec.name().equals(container));
  }
}
