package dev.regroup.agent;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.group.WorkerEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the agent is told by its environment (JS-126, JS-132e, JS-153), read once at the start.
 * Released names win over the proposal's.
 *
 * @param mode which body it has
 * @param naming which of the two sets of names it writes
 * @param exitCode with which it asks for a restart
 * @param port where the barrier is answered once it is down, in sidecar mode
 * @param path the first of the paths answered there
 * @param rules what an end of the worker leads to, in process mode
 * @param stopTime between the stop signal and SIGKILL, in process mode
 * @param restartDirectory where the worker finds its attempt (JS-166)
 */
record AgentConfig(
    Mode mode,
    Naming naming,
    Place place,
    ApiAddress api,
    int exitCode,
    int port,
    String path,
    List<ExitRule> rules,
    Duration stopTime,
    Path restartDirectory) {

  static final String RELEASED_PATH = "/barrier-is-down";
  static final String DRAFT_PATH = "/barrier-is-lifted";

  private static final String WORKER_COMMAND = "WORKER_COMMAND";
  private static final String PROBE_PATH = "STARTUP_PROBE_PATH";
  private static final String PROBE_PORT = "STARTUP_PROBE_PORT";
  private static final String EXIT_CODE = "IN_PLACE_RESTART_EXIT_CODE";
  private static final String DRAFT_EXIT_CODE = "RESTART_POD_IN_PLACE_EXIT_CODE";
  private static final String MODE = "IN_PLACE_RESTART_MODE";
  private static final String FATAL = "IN_PLACE_RESTART_FATAL_EXIT_CODES";
  private static final String RULES = "IN_PLACE_RESTART_RULES";
  private static final String STOP = "IN_PLACE_RESTART_STOP_SECONDS";
  private static final int LONGEST_STOP = 600; // JS-169

  /** Which body the agent has (JS-130, JS-132, JS-132a). */
  enum Mode {
    SIDECAR("sidecar"),
    MAIN_CONTAINER("main-container"),
    PROCESS("process");

    private final String title;

    Mode(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** The two sets of names (jobset.md 8). */
  enum Naming {
    RELEASED,
    DRAFT
  }

  /** Whom the agent acts for; an empty UID means any JobSet of that name (JS-149). */
  record Place(String namespace, String jobSet, String jobSetUid, String pod) {}

  /**
   * Where the API server is.
   *
   * @param account folder with the account's token and certificates
   * @param socket where this machine's node answers for the server, if it does
   */
  record ApiAddress(String host, int port, Path account, @Nullable Path socket) {}

  /**
   * Reads the environment.
   *
   * @param account where the service account is mounted
   */
  static AgentConfig read(Map<String, String> environment, Path account, @Nullable Path socket)
      throws BadSetting {
    var env = new Reader(environment);
    var mode = env.mode();
    var naming = env.naming();
    var place =
        new Place(
            env.namespace(account),
            env.name("JOBSET_NAME"),
            env.text("JOBSET_UID"),
            env.name("POD_NAME"));
    var api =
        new ApiAddress(
            env.required("KUBERNETES_SERVICE_HOST"),
            env.number("KUBERNETES_SERVICE_PORT", 443, 1, 65_535),
            account,
            socket);
    boolean draft = naming == Naming.DRAFT;
    String exitName = env.has(EXIT_CODE) ? EXIT_CODE : DRAFT_EXIT_CODE;
    return new AgentConfig(
        mode,
        naming,
        place,
        api,
        // Not 0: a sidecar that ends well is started again beside the old worker (JS-138).
        env.number(exitName, 1, 1, 255),
        env.number(PROBE_PORT, draft ? 8080 : 8081, 1, 65_535),
        env.path(draft ? DRAFT_PATH : RELEASED_PATH),
        env.rules(mode),
        Duration.ofSeconds(env.number(STOP, 2, 0, LONGEST_STOP)),
        Path.of(env.or("JOBSET_RESTART_DIR", "/var/run/jobset")));
  }

  /** The first line of the log (JS-153b). */
  String firstLine() {
    String names = naming == Naming.DRAFT ? ", names of the proposal" : "";
    String door = mode == Mode.SIDECAR ? ", port " + port + ", path " + path : "";
    return "mode "
        + mode.title()
        + door
        + names
        + (api.socket() == null ? "" : ", through " + api.socket())
        + " (jobset "
        + place.namespace()
        + "/"
        + place.jobSet()
        + ", pod "
        + place.pod()
        + ")";
  }

  /** The environment; a variable that is empty counts as not set. */
  private record Reader(Map<String, String> env) {

    boolean has(String name) {
      return !text(name).isEmpty();
    }

    String text(String name) {
      return or(name, "");
    }

    String or(String name, String otherwise) {
      String value = env.getOrDefault(name, "");
      return value.isEmpty() ? otherwise : value;
    }

    String required(String name) throws BadSetting {
      String value = text(name);
      if (value.isEmpty()) {
        throw new BadSetting(name + ": must be set");
      }
      return value;
    }

    /** The name of an object: it becomes part of a path, so nothing else may come in. */
    String name(String variable) throws BadSetting {
      return object(variable, required(variable));
    }

    private static String object(String source, String name) throws BadSetting {
      for (int i = 0; i < name.length(); i++) {
        char c = name.charAt(i);
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.') {
          throw new BadSetting(source + ": must be the name of an object, got \"" + name + "\"");
        }
      }
      return name;
    }

    Mode mode() throws BadSetting {
      String asked = text(MODE);
      if (!asked.isEmpty() && !asked.equals("process")) {
        throw new BadSetting(MODE + ": must be \"process\" or not set, got \"" + asked + "\"");
      }
      if (!has(WORKER_COMMAND)) {
        if (!asked.isEmpty()) {
          throw new BadSetting(MODE + "=process: " + WORKER_COMMAND + " must be set too");
        }
        return Mode.SIDECAR;
      }
      if (has(PROBE_PATH) || has(PROBE_PORT)) {
        throw new BadSetting(
            WORKER_COMMAND
                + ": must not be set together with "
                + (has(PROBE_PATH) ? PROBE_PATH : PROBE_PORT)
                + " (an agent that runs the worker answers no probe)");
      }
      return asked.isEmpty() ? Mode.MAIN_CONTAINER : Mode.PROCESS;
    }

    /** JS-153b. */
    Naming naming() {
      boolean released =
          has(EXIT_CODE) || has(PROBE_PATH) || has(PROBE_PORT) || has(WORKER_COMMAND);
      return has("NAMESPACE") && !released ? Naming.DRAFT : Naming.RELEASED;
    }

    String namespace(Path account) throws BadSetting {
      if (has("NAMESPACE")) {
        return name("NAMESPACE");
      }
      Path file = account.resolve("namespace");
      try {
        return object(file.toString(), Files.readString(file).strip());
      } catch (IOException e) {
        throw new BadSetting(
            file + ": cannot be read (the pod needs a service account, or NAMESPACE set): " + e);
      }
    }

    int number(String name, int otherwise, int least, int most) throws BadSetting {
      String text = text(name);
      if (text.isEmpty()) {
        return otherwise;
      }
      return number(name, text, least, most);
    }

    private static int number(String name, String text, int least, int most) throws BadSetting {
      try {
        int number = Integer.parseInt(text.strip());
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException _) {
        // said below
      }
      throw new BadSetting(
          name + ": must be a number from " + least + " to " + most + ", got \"" + text + "\"");
    }

    String path(String otherwise) throws BadSetting {
      String path = or(PROBE_PATH, otherwise);
      if (!path.startsWith("/")) {
        throw new BadSetting(PROBE_PATH + ": must begin with \"/\", got \"" + path + "\"");
      }
      return path;
    }

    /** Rules decide alone; without them every failure is the group's but for fatal codes. */
    List<ExitRule> rules(Mode mode) throws BadSetting {
      Set<Integer> fatal = codes();
      if (!has(RULES)) {
        return WorkerEnd.withoutRules(fatal);
      }
      if (mode != Mode.PROCESS) {
        throw new BadSetting(RULES + ": needs " + MODE + "=process");
      }
      return RulesReading.of(RULES, text(RULES));
    }

    private Set<Integer> codes() throws BadSetting {
      var codes = new HashSet<Integer>();
      String text = text(FATAL);
      if (!text.isEmpty()) {
        for (String code : text.split(",", -1)) {
          codes.add(number(FATAL, code, 1, 255));
        }
      }
      return Set.copyOf(codes);
    }
  }
}
