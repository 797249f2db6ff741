package dev.regroup.rules.jobset;

/** The feature gates a plan depends on (JS-170), asked once where parts are wired. */
public record JobSetGates(boolean inPlaceRestart, boolean restartJob, boolean elastic) {

  public static final JobSetGates ALL = new JobSetGates(true, true, true);
}
