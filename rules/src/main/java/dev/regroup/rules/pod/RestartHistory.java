package dev.regroup.rules.pod;

import java.util.ArrayList;
import java.util.List;

/**
 * The restarts of all containers of one pod, as the pod tells them to whoever looks.
 *
 * @param completed how many there were
 * @param newest the newest of them, oldest first, at most {@link #KEPT}
 */
public record RestartHistory(int completed, List<CompletedRestart> newest) {

  /** As many as a JobSet remembers of its group's restarts (JS-28l). */
  static final int KEPT = 10;

  public static final RestartHistory NONE = new RestartHistory(0, List.of());

  public RestartHistory {
    newest = List.copyOf(newest.subList(Math.max(0, newest.size() - KEPT), newest.size()));
  }

  public RestartHistory with(CompletedRestart restart) {
    var more = new ArrayList<>(newest);
    more.add(restart);
    return new RestartHistory(completed + 1, more);
  }

  /** How many are counted but no longer told. */
  public int forgotten() {
    return Math.max(0, completed - newest.size());
  }
}
