package dev.regroup.api.jobset;

/** Labels, annotations and reserved names of JobSet (jobset.md section 2). */
public final class JobSetKeys {

  private static final String PREFIX = "jobset.sigs.k8s.io/";
  private static final String ALPHA = "alpha.jobset.sigs.k8s.io/";

  // Label and annotation, on the Job and on its pod template (JS-34).
  public static final String JOBSET_NAME = PREFIX + "jobset-name";
  public static final String JOBSET_UID = PREFIX + "jobset-uid";
  public static final String REPLICATED_JOB_NAME = PREFIX + "replicatedjob-name";
  public static final String JOB_INDEX = PREFIX + "job-index";
  public static final String JOB_GLOBAL_INDEX = PREFIX + "job-global-index";
  public static final String JOB_KEY = PREFIX + "job-key";
  public static final String RESTART_ATTEMPT = PREFIX + "restart-attempt";
  public static final String JOB_RESTART_ATTEMPT = PREFIX + "job-restart-attempt";
  public static final String COORDINATOR = PREFIX + "coordinator";

  /** Label on pods only, by the pod webhook (JS-36). */
  public static final String PRIORITY = PREFIX + "priority";

  // Annotation only (JS-35).
  public static final String EXCLUSIVE_TOPOLOGY = ALPHA + "exclusive-topology";
  public static final String NODE_SELECTOR = ALPHA + "node-selector";

  /** Node label of the node-selector placement strategy (JS-39). */
  public static final String NAMESPACED_JOB = ALPHA + "namespaced-job";

  /** Taint of the node-selector placement strategy (JS-39). */
  public static final String NO_SCHEDULE = ALPHA + "no-schedule";

  /** On a JobSet: agents let workers run without the barrier (JS-37). */
  public static final String DISABLE_IN_PLACE_RESTART = PREFIX + "disable-in-place-restart";

  /** On a pod, written by the agent: its attempt (JS-38). */
  public static final String IN_PLACE_RESTART_ATTEMPT = PREFIX + "in-place-restart-attempt";

  /** The draft name of the attempt, attempt + 1 (JS-38). */
  public static final String EPOCH = PREFIX + "epoch";

  /** Fields that admission filled in for an in-place JobSet (JS-42b). */
  public static final String IN_PLACE_RESTART_DEFAULTED = PREFIX + "in-place-restart-defaulted";

  /** Whether and which agent is added (JS-132b). */
  public static final String INJECT_AGENT = PREFIX + "inject-in-place-restart-agent";

  /** {@code managedBy} of the released controller; the same as none (JS-23). */
  public static final String RESERVED_MANAGER = PREFIX + "jobset-controller";

  /** {@code managedBy} for Regroup where the released controller is installed too. */
  public static final String REGROUP_MANAGER = "regroup.dev/jobset-controller";

  // Restart on demand (node.md RAC-08, JS-167).
  public static final String RESTART_REQUEST = "regroup.dev/restart-request";
  public static final String RESTART_REASON = "regroup.dev/restart-reason";
  public static final String RESTART_GRACE = "regroup.dev/restart-grace";
  public static final String RESTART_CONTAINER = "regroup.dev/restart-container";
  public static final String RESTART_UNCOUNTED = "regroup.dev/restart-uncounted";

  /** On a pod, written by Regroup's node: its restarts and where their time went. */
  public static final String RESTARTS = "regroup.dev/restarts";

  /** On a pod template: by container name what its fields cannot say on a cluster. */
  public static final String RULES = "regroup.dev/rules";

  /** On a pod, written by Regroup's node: when its program wrote, and its newest step. */
  public static final String PROGRAM = "regroup.dev/program";

  /** How a line of a program's output tells its step (RE2; group 1 the step, 2 the total). */
  public static final String PROGRESS_PATTERN = "regroup.dev/progress-pattern";

  private JobSetKeys() {}
}
