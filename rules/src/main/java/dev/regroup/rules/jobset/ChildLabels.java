package dev.regroup.rules.jobset;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The keys every child Job and its pod template carry, as label and as annotation (JS-34). */
public final class ChildLabels {

  private static final String PREFIX = "jobset.sigs.k8s.io/";

  private ChildLabels() {}

  public static SequencedMap<String, String> of(
      JobSetSpec spec, JobSetStatus status, JobSetGates gates, int position, int jobIndex) {
    var job = spec.jobs().get(position);
    var name = spec.childName(job.name(), jobIndex);
    int before = 0;
    int beforeInGroup = 0;
    int inGroup = 0;
    for (int i = 0; i < spec.jobs().size(); i++) {
      var other = spec.jobs().get(i);
      boolean sameGroup = other.groupName().equals(job.groupName());
      before += i < position ? other.replicas() : 0;
      beforeInGroup += i < position && sameGroup ? other.replicas() : 0;
      inGroup += sameGroup ? other.replicas() : 0;
    }
    var labels = new LinkedHashMap<String, String>();
    put(labels, "jobset-name", spec.name());
    put(labels, "jobset-uid", spec.uid());
    put(labels, "replicatedjob-name", job.name());
    put(labels, "replicatedjob-replicas", job.replicas());
    put(labels, "global-replicas", spec.totalReplicas());
    put(labels, "job-index", jobIndex);
    put(labels, "job-global-index", before + jobIndex);
    put(labels, "job-key", jobKey(spec.namespace(), name));
    put(labels, "restart-attempt", status.restarts());
    if (gates.restartJob()) {
      int attempt =
          status.replicatedJob(job.name()).map(one -> one.jobRestarts(jobIndex)).orElse(0);
      put(labels, "job-restart-attempt", attempt);
    }
    put(labels, "group-name", job.groupName());
    put(labels, "group-replicas", inGroup);
    put(labels, "job-group-index", beforeInGroup + jobIndex);
    spec.coordinator().ifPresent(_ -> put(labels, "coordinator", spec.coordinatorName()));
    return labels;
  }

  /** SHA-1 because the released key is; it names, it does not protect. */
  static String jobKey(String namespace, String jobName) {
    try {
      var sha1 = MessageDigest.getInstance("SHA-1");
      var digest = sha1.digest((namespace + "/" + jobName).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  private static void put(SequencedMap<String, String> labels, String key, Object value) {
    labels.put(PREFIX + key, value.toString());
  }
}
