package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;

/**
 * Which JobSets of a cluster are Regroup's to run (JS-23, JS-73): two controllers over one JobSet
 * would undo each other's work.
 */
public enum JobSetCharge {
  /** All that name no manager, JobSet's own or Regroup's: nobody else runs JobSets here. */
  ALL,
  /** Only those that name Regroup: the released controller is installed, too. */
  MARKED;

  public boolean covers(JsonNode jobSet) {
    return switch (this) {
      case ALL -> !JobSetReader.managedElsewhere(jobSet);
      case MARKED -> Trees.text(jobSet, "spec", "managedBy").equals(JobSetKeys.REGROUP_MANAGER);
    };
  }
}
