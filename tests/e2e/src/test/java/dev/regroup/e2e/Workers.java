package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A group of workers whose ends the test chooses: each waits at a FIFO for the exit code it is
 * told. A worker holds a lock of its attempt for as long as it lives and looks whether the attempt
 * before or after is held too; the kernel drops a lock with the last process that had it. What must
 * never happen, two attempts at once or one attempt twice, is written to a file that {@link
 * #wrongs} reads.
 */
public final class Workers {

  public static final Duration LIMIT = Duration.ofSeconds(60);

  public static final String JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  public static final String JOBS = "/apis/batch/v1/namespaces/default/jobs";
  public static final String PODS = "/api/v1/namespaces/default/pods";

  private static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";

  /**
   * The FIFO appears last: whoever sees it knows that the worker holds its lock, has looked and
   * keeps what is written.
   */
  private static final String SCRIPT =
      """
      cd %s
      a=${JOBSET_RESTART_ATTEMPT:-$(cat ${JOBSET_RESTART_DIR:-/var/run/jobset}/attempt)}
      r=$JOB_COMPLETION_INDEX
      exec 9>lock-$a; flock -s 9
      for other in $((a - 1)) $((a + 1)); do
        [ ! -e lock-$other ] || flock turn flock -n -x lock-$other true ||
          echo "attempts $other and $a at once, seen by $r" >>wrongs
      done
      %s
      [ ! -e fifo-$a-$r ] || echo "attempt $a of $r twice" >>wrongs
      %s
      exit $code
      """;

  /** Agents as entry points of the workers' containers; a name of ours, nobody adds them. */
  public static final String MAIN = "main";

  /** Exit code of a worker that ends the JobSet at once, where the group has one. */
  public static final int FATAL = 3;

  /**
   * Where a group runs.
   *
   * @param image of the workers; has a shell and flock
   * @param agent kind of agent, empty for what the place gives a group that asks for none
   * @param patience how long anything may take
   */
  public record Place(String image, String agent, Duration patience) {

    /** Regroup's own node. */
    public static final Place LOCAL = new Place("host", "", LIMIT);
  }

  private final Path folder;
  private final String name;
  private final int size;
  private final Place place;

  /** A local group of this name; {@code below} is where its folder is made. */
  public Workers(Path below, String name, int size) throws IOException {
    this(below, name, size, Place.LOCAL);
  }

  public Workers(Path below, String name, int size, Place place) throws IOException {
    this.folder = Files.createDirectories(below.resolve(name));
    this.name = name;
    this.size = size;
    this.place = place;
  }

  public String name() {
    return name;
  }

  public Duration patience() {
    return place.patience();
  }

  /** A JobSet that asks for in-place restarts and says nothing else about them. */
  public String manifest(int maxRestarts) {
    return manifest(maxRestarts, ":");
  }

  /** The same; the workers run {@code preparation} before they wait. */
  public String manifest(int maxRestarts, String preparation) {
    return filled(maxRestarts, preparation, Map.of());
  }

  /** The same; a worker that exits with {@link #FATAL} fails its Job, and that the JobSet. */
  public String manifestWithFatalCode(int maxRestarts) {
    return manifestWithFatalCode(maxRestarts, "FailJobSet");
  }

  /** The same; the failed Job leads to this action. */
  public String manifestWithFatalCode(int maxRestarts, String action) {
    return filled(
        maxRestarts,
        ":",
        Map.of(
            "FAILURE_RULES",
            "[{name: fatal, action: %s, onJobFailureReasons: [PodFailurePolicy]}]"
                .formatted(action),
            "POD_FAILURE_POLICY",
            """
            podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: worker, operator: In, values: [%d]}}]}\
            """
                .formatted(FATAL)));
  }

  /** The same; a pod that is told to {@link #hold} waits before it reaches the barrier. */
  public String manifestWithGate(int maxRestarts) {
    String gate =
        "cd %s; r=$JOB_COMPLETION_INDEX; [ ! -e hold-$r ] || { rm hold-$r; %s; rm held-$r; }"
            .formatted(folder, Fifo.read("held-$r"));
    return filled(
        maxRestarts,
        ":",
        Map.of(
            "INIT_CONTAINERS",
            "initContainers: [{name: gate, image: %s, command: [sh, -c, '%s'], volumeMounts: [{name: shared, mountPath: %s}]}]"
                .formatted(place.image(), gate, folder)));
  }

  /** The next start of this pod of a group with a gate waits until it is released. */
  public void hold(int rank) throws IOException {
    Files.createFile(folder.resolve("hold-" + rank));
  }

  public void awaitHeld(int rank) throws IOException, InterruptedException {
    Fifo.await(folder.resolve("held-" + rank), place.patience());
  }

  public void release(int rank) throws IOException {
    Fifo.write(folder.resolve("held-" + rank), "");
  }

  /**
   * The same; what ends mean is told by rules as they stand in a container. A worker that is
   * started again within its attempt says so by a file.
   */
  public String manifestWithRules(int maxRestarts, String rules) {
    String metadata =
        "metadata: {annotations: {regroup.dev/rules: '{\"worker\": {\"restartPolicyRules\": %s}}'}}"
            .formatted(rules);
    return filled(
        maxRestarts,
        "[ ! -e fifo-$a-$r ] || { rm fifo-$a-$r; touch again-$a-$r; }",
        Map.of("POD_METADATA", metadata));
  }

  /**
   * The same; several kinds of agents in one group, each with this many workers. Ranks go through
   * all of them in this order. {@link #MAIN} is a kind, too.
   */
  public JsonNode manifestMixed(int maxRestarts, Map<String, Integer> sizes) throws Exception {
    var parts = new ArrayList<Part>();
    sizes.forEach((kind, workers) ->
        parts.add(new Part(kind, kind.equals(MAIN) ? EntryPointAgent.ANNOTATION : kind, workers)));
    var jobSet = inParts(manifest(maxRestarts), parts);
    for (JsonNode job : jobSet.at("/spec/replicatedJobs")) {
      if (job.path("name").asText().equals(MAIN)) {
        EntryPointAgent.addTo((ObjectNode) job.at("/template/spec/template/spec"));
      }
    }
    return jobSet;
  }

  /**
   * One of the replicated Jobs of a group.
   *
   * @param agent its kind of agent
   */
  public record Part(String name, String agent, int size) {}

  /** This manifest with several replicated Jobs; ranks go through all of them in this order. */
  public static ObjectNode inParts(String manifest, List<Part> parts) throws Exception {
    var jobSet = (ObjectNode) YamlDocuments.read(manifest.getBytes(UTF_8)).getFirst().root();
    var jobs = (ArrayNode) jobSet.at("/spec/replicatedJobs");
    var pattern = jobs.remove(0);
    int first = 0;
    for (var part : parts) {
      var job = (ObjectNode) pattern.deepCopy();
      job.put("name", part.name());
      var template = (ObjectNode) job.path("template");
      template
          .putObject("metadata")
          .putObject("annotations")
          .put("jobset.sigs.k8s.io/inject-in-place-restart-agent", part.agent());
      ((ObjectNode) template.path("spec"))
          .put("parallelism", part.size())
          .put("completions", part.size());
      var command = (ArrayNode) template.at("/spec/template/spec/containers/0/command");
      String own = "r=$((%d + JOB_COMPLETION_INDEX))".formatted(first);
      command.set(2, command.get(2).asText().replace("r=$JOB_COMPLETION_INDEX", own));
      jobs.add(job);
      first += part.size();
    }
    return jobSet;
  }

  /** The same; its pods run under an account of the user's own. */
  public String manifestWithAccount(int maxRestarts, String account) {
    return filled(maxRestarts, ":", Map.of("ACCOUNT", "serviceAccountName: " + account));
  }

  private String filled(int maxRestarts, String preparation, Map<String, String> policies) {
    String script = SCRIPT.formatted(folder, preparation, Fifo.read("fifo-$a-$r"));
    String annotations =
        place.agent().isEmpty()
            ? "{}"
            : "{jobset.sigs.k8s.io/inject-in-place-restart-agent: " + place.agent() + "}";
    var values = new TreeMap<String, String>();
    values.put("FAILURE_RULES", "[]");
    values.put("POD_FAILURE_POLICY", "");
    values.put("POD_METADATA", "");
    values.put("ACCOUNT", "");
    values.put("INIT_CONTAINERS", "");
    values.putAll(policies);
    values.put("NAME", name);
    values.put("ANNOTATIONS", annotations);
    values.put("MAX_RESTARTS", "" + maxRestarts);
    values.put("SIZE", "" + size);
    values.put("IMAGE", place.image());
    values.put("FOLDER", folder.toString());
    values.put("SCRIPT", script.indent(16).stripTrailing());
    String text = template();
    for (var value : values.entrySet()) {
      text = text.replace("${" + value.getKey() + "}", value.getValue());
    }
    return text;
  }

  private static String template() {
    try (var stream = Workers.class.getResourceAsStream("workers.yaml")) {
      return new String(Objects.requireNonNull(stream, "workers.yaml").readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until every worker of this attempt is up. */
  public void awaitAttempt(int attempt) throws IOException, InterruptedException {
    for (int rank = 0; rank < size; rank++) {
      awaitUp(attempt, rank);
    }
  }

  public void awaitUp(int attempt, int rank) throws IOException, InterruptedException {
    Fifo.await(fifo(attempt, rank), place.patience());
  }

  /** Whether this worker was ever up in this attempt. */
  public boolean wasUp(int attempt, int rank) {
    return Files.exists(fifo(attempt, rank));
  }

  /** Waits until a worker was started again within its attempt. */
  public void awaitAgain(int attempt, int rank) throws IOException, InterruptedException {
    Fifo.await(folder.resolve("again-" + attempt + "-" + rank), place.patience());
    Fifo.await(fifo(attempt, rank), place.patience());
  }

  /** Ends one worker with this exit code. */
  public void exit(int attempt, int rank, int code) throws IOException {
    Fifo.write(fifo(attempt, rank), "" + code);
  }

  public void exitAll(int attempt, int code) throws IOException {
    for (int rank = 0; rank < size; rank++) {
      exit(attempt, rank, code);
    }
  }

  /** Everything that must never happen and did. */
  public List<String> wrongs() throws IOException {
    Path file = folder.resolve("wrongs");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  /** One pod for each place, all running this attempt; pods that failed may lie around. */
  public Map<String, JsonNode> awaitLive(Kube kube, int attempt)
      throws IOException, InterruptedException {
    awaitAttempt(attempt);
    var pods =
        kube.await(
            PODS,
            podsQuery(),
            all -> {
              var live = live(all);
              return live.size() == size
                  && live.values().stream()
                      .allMatch(pod -> running(pod) && attempt(pod).equals("" + attempt));
            },
            place.patience());
    return live(pods);
  }

  private static Map<String, JsonNode> live(Map<String, JsonNode> pods) {
    var live = new TreeMap<>(pods);
    live.values().removeIf(pod -> pod.path("status").path("phase").asText().equals("Failed"));
    return live;
  }

  /** The pods once all of them run this attempt. */
  public Map<String, JsonNode> awaitRunning(Kube kube, int attempt)
      throws IOException, InterruptedException {
    return awaitRunning(kube, attempt, Workers::attempt);
  }

  /** The same; their attempts are read in this way. */
  Map<String, JsonNode> awaitRunning(Kube kube, int attempt, Function<JsonNode, String> read)
      throws IOException, InterruptedException {
    awaitAttempt(attempt);
    return kube.await(
        PODS,
        podsQuery(),
        pods ->
            pods.size() == size
                && pods.values().stream()
                    .allMatch(pod -> running(pod) && read.apply(pod).equals("" + attempt)),
        place.patience());
  }

  public String podsQuery() {
    return "labelSelector=jobset.sigs.k8s.io/jobset-name%3D" + name;
  }

  public String jobsQuery() {
    return podsQuery(); // Jobs and pods carry the same label
  }

  public JsonNode jobSet(Kube kube) throws IOException, InterruptedException {
    return kube.get(JOB_SETS + "/" + name);
  }

  public JsonNode awaitCondition(Kube kube, String type) throws IOException, InterruptedException {
    return kube.awaitOne(
        JOB_SETS,
        name,
        jobSet -> Kube.condition(jobSet, type).path("status").asText().equals("True"),
        place.patience());
  }

  public static boolean running(JsonNode pod) {
    return worker(pod).path("state").has("running")
        && pod.path("status").path("phase").asText().equals("Running");
  }

  public static String attempt(JsonNode pod) {
    return pod.path("metadata").path("annotations").path(ATTEMPT).asText("");
  }

  public static int restarts(JsonNode pod) {
    return worker(pod).path("restartCount").asInt(-1);
  }

  public static JsonNode worker(JsonNode pod) {
    return pod.path("status").path("containerStatuses").path(0);
  }

  /** What must stay: rank (by name), uid and address of each pod. */
  public static Map<String, String> identities(Map<String, JsonNode> pods) {
    var found = new TreeMap<String, String>();
    pods.forEach((pod, object) ->
        found.put(
            pod,
            object.path("metadata").path("uid").asText()
                + " "
                + object.path("status").path("podIP").asText()));
    return found;
  }

  /** A worker's process, as the host sees it; the start time tells it from a later namesake. */
  public record Running(int rank, int attempt, String pid, String startTime) {}

  /** The workers that are alive, by rank and attempt. */
  public List<Running> processes() throws IOException {
    var found = new ArrayList<Running>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : entries) {
        try {
          if (isWorker(process)) {
            read(process).ifPresent(found::add);
          }
        } catch (IOException e) {
          continue; // it ended while we looked
        }
      }
    }
    found.sort(Comparator.comparing(Running::rank).thenComparing(Running::attempt));
    return found;
  }

  private boolean isWorker(Path process) throws IOException {
    return Files.readString(process.resolve("cmdline")).startsWith("sh\0-c\0cd " + folder);
  }

  private Optional<Running> read(Path process) throws IOException {
    var rank = OptionalInt.empty();
    var attempt = OptionalInt.empty();
    for (String variable : Files.readString(process.resolve("environ")).split("\0", -1)) {
      if (variable.startsWith("RANK=")) {
        rank = OptionalInt.of(Integer.parseInt(variable.substring(5)));
      } else if (variable.startsWith("JOBSET_RESTART_ATTEMPT=")) {
        attempt = OptionalInt.of(Integer.parseInt(variable.substring(23)));
      }
    }
    String stat = Files.readString(process.resolve("stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    if (rank.isEmpty() || attempt.isEmpty() || fields[0].equals("Z")) {
      return Optional.empty(); // it is ending
    }
    if (isWorker(process.resolveSibling(fields[1]))) {
      return Optional.empty(); // a command of the script that has not begun yet
    }
    String pid = process.getFileName().toString();
    return Optional.of(new Running(rank.getAsInt(), attempt.getAsInt(), pid, fields[19]));
  }

  private Path fifo(int attempt, int rank) {
    return folder.resolve("fifo-" + attempt + "-" + rank);
  }
}
