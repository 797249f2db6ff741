package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Adds an agent that is part of the pod (JS-130, JS-132a): as a sidecar, or as the program that
 * runs the worker. Names, paths and variables are the released ones; the folder with the attempt is
 * shared by agent and workers (JS-166).
 */
final class AgentContainer {

  private static final String NAME = "in-place-restart-agent";
  private static final String BARRIER_PATH = "/barrier-is-down";
  private static final int BARRIER_PORT = 8081;
  private static final String ATTEMPT_VOLUME = "jobset-restart";
  private static final String ATTEMPT_FOLDER = "/var/run/jobset";
  private static final String PROGRAM_VOLUME = "in-place-restart-program";
  private static final String PROGRAM_FOLDER = "/in-place-restart";
  private static final String INSTALL_FOLDER = "/install";

  private static final String RULES_VARIABLE = "IN_PLACE_RESTART_RULES";

  private final AgentSettings settings;
  private final Workers workers;
  private final ObjectNode annotations;
  private final Optional<AgentRules> rules; // of the user, for the first worker

  /**
   * Looks at the workers as the user wrote them.
   *
   * @param annotations of the pod template
   */
  AgentContainer(AgentSettings settings, Workers workers, ObjectNode annotations) {
    this.settings = settings;
    this.workers = workers;
    this.annotations = annotations;
    this.rules =
        workers.containers().stream()
            .findFirst()
            .flatMap(worker -> AgentRules.of(worker, annotations));
  }

  void add(ObjectNode podSpec, String kind) {
    switch (kind) {
      case AgentInjection.SIDECAR -> sidecar(podSpec);
      case AgentInjection.PROCESS -> process(podSpec);
      default -> {} // the node needs no container
    }
  }

  private void sidecar(ObjectNode podSpec) {
    account(podSpec);
    ObjectNode agent = Wire.object();
    agent.put("name", NAME).put("image", settings.image());
    agent.putArray("command").add(settings.command());
    agent.put("restartPolicy", "Always");
    // Every exit, also 0: a new agent beside an old worker would hang the group (JS-138).
    ObjectNode rule = agent.putArray("restartPolicyRules").addObject();
    rule.put("action", "RestartAllContainers");
    rule.putObject("exitCodes").put("operator", "NotIn").putArray("values");
    ObjectNode probe = agent.putObject("startupProbe");
    probe.putObject("httpGet").put("path", BARRIER_PATH).put("port", BARRIER_PORT);
    probe.put("periodSeconds", 1);
    probe.put("failureThreshold", Integer.MAX_VALUE); // waiting is no failure (JS-131)
    identity(agent);
    mount(agent, ATTEMPT_VOLUME, ATTEMPT_FOLDER);
    last(podSpec, agent);
    emptyDir(podSpec, ATTEMPT_VOLUME);
    workers.containers().forEach(worker -> mount(worker, ATTEMPT_VOLUME, ATTEMPT_FOLDER));
  }

  /**
   * The first worker runs below the agent, whose program an init container lays into the pod. Only
   * a command in the manifest can be handed over; the entry point of an image is not known here.
   */
  private void process(ObjectNode podSpec) {
    var worker = workers.containers().stream().findFirst();
    if (worker.isEmpty() || worker.get().path("command").isEmpty()) {
      return;
    }
    account(podSpec);
    String program = PROGRAM_FOLDER + "/" + NAME;
    ObjectNode install = Wire.object();
    install.put("name", NAME).put("image", settings.image());
    // Elsewhere than where the worker finds it: the image's own files are in that folder.
    install.putArray("command").add(settings.command()).add("install").add(INSTALL_FOLDER);
    mount(install, PROGRAM_VOLUME, INSTALL_FOLDER);
    last(podSpec, install);
    emptyDir(podSpec, PROGRAM_VOLUME);
    ObjectNode container = worker.get();
    var words = new ArrayList<>(Trees.texts(container, "command"));
    words.addAll(Trees.texts(container, "args"));
    container.remove("args");
    container.putArray("command").add(program);
    identity(container);
    variable(container, AgentMarks.WORKER_COMMAND, shellLine(words));
    variable(container, "IN_PLACE_RESTART_MODE", AgentInjection.PROCESS);
    ends(container);
    String restartGrace = Trees.text(annotations, JobSetKeys.RESTART_GRACE);
    if (!restartGrace.isEmpty()) {
      variable(container, "IN_PLACE_RESTART_STOP_SECONDS", restartGrace); // JS-169
    }
    mount(container, PROGRAM_VOLUME, PROGRAM_FOLDER);
    mount(container, ATTEMPT_VOLUME, ATTEMPT_FOLDER); // the root may be read-only
    emptyDir(podSpec, ATTEMPT_VOLUME);
  }

  /**
   * Tells the agent what ends of the worker mean: by the user's rules, or by the codes that must
   * reach the Job. Rules come from the annotation, else from the container.
   */
  private void ends(ObjectNode container) {
    if (rules.isPresent()) {
      variable(container, RULES_VARIABLE, rules.get().text());
      rules.get().leaveToNode(container);
      return;
    }
    var fatal = workers.fatalCodes(Trees.text(container, "name"));
    if (!fatal.isEmpty()) {
      String codes = fatal.stream().map(String::valueOf).collect(Collectors.joining(","));
      variable(container, "IN_PLACE_RESTART_FATAL_EXIT_CODES", codes);
    }
  }

  /** Agents speak to the API server; a user's own account stays (JS-132h). */
  private static void account(ObjectNode podSpec) {
    boolean own =
        !Trees.text(podSpec, "serviceAccountName").isEmpty()
            || !Trees.text(podSpec, "serviceAccount").isEmpty();
    if (!own) {
      podSpec.put("serviceAccountName", AgentInjection.SERVICE_ACCOUNT);
    }
  }

  /** Which JobSet and pod the agent acts for; the UID tells a JobSet of the same name apart. */
  private static void identity(ObjectNode container) {
    field(container, "JOBSET_NAME", "metadata.annotations['" + JobSetKeys.JOBSET_NAME + "']");
    field(container, "JOBSET_UID", "metadata.labels['" + JobSetKeys.JOBSET_UID + "']");
    field(container, "POD_NAME", "metadata.name");
  }

  private static void field(ObjectNode container, String name, String path) {
    if (!has(container, "env", name)) {
      ObjectNode variable = Trees.list(container, "env").addObject().put("name", name);
      variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", path);
    }
  }

  private static void variable(ObjectNode container, String name, String value) {
    if (!has(container, "env", name)) {
      Trees.list(container, "env").addObject().put("name", name).put("value", value);
    }
  }

  private static void mount(ObjectNode container, String volume, String folder) {
    boolean taken =
        Trees.objects(container, "volumeMounts").stream()
            .anyMatch(mount -> Trees.text(mount, "mountPath").equals(folder));
    if (!taken) {
      Trees.list(container, "volumeMounts")
          .addObject()
          .put("name", volume)
          .put("mountPath", folder);
    }
  }

  private static void emptyDir(ObjectNode podSpec, String volume) {
    if (!has(podSpec, "volumes", volume)) {
      Trees.list(podSpec, "volumes").addObject().put("name", volume).putObject("emptyDir");
    }
  }

  private static boolean has(ObjectNode owner, String list, String name) {
    return Trees.objects(owner, list).stream()
        .anyMatch(item -> Trees.text(item, "name").equals(name));
  }

  /** After the user's: init containers run first, then the pod waits for the group (JS-145). */
  private static void last(ObjectNode podSpec, ObjectNode container) {
    Trees.list(podSpec, "initContainers").add(container);
  }

  /** The words as one line a shell reads back into the same words. */
  private static String shellLine(List<String> words) {
    return words.stream()
        .map(word -> "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }
}
