package dev.regroup.rules.pod;

import dev.regroup.rules.progress.ProgramLife;
import java.util.ArrayList;
import java.util.List;

/**
 * The restarts of all containers of one pod, as the pod tells them to whoever looks.
 *
 * @param completed how many there were
 * @param newest the newest of them, oldest first, at most {@link #KEPT}
 * @param life of the program, beside its restarts
 */
public record RestartHistory(int completed, List<CompletedRestart> newest, ProgramLife life) {

  /** As many as a JobSet remembers of its group's restarts (JS-28l). */
  static final int KEPT = 10;

  public static final RestartHistory NONE = new RestartHistory(0, List.of());

  public RestartHistory {
    newest = List.copyOf(newest.subList(Math.max(0, newest.size() - KEPT), newest.size()));
  }

  /** Of a program of which nothing was seen. */
  public RestartHistory(int completed, List<CompletedRestart> newest) {
    this(completed, newest, ProgramLife.UNSEEN);
  }

  public RestartHistory with(CompletedRestart restart) {
    var more = new ArrayList<>(newest);
    more.add(restart);
    return new RestartHistory(completed + 1, more, life);
  }

  /** More became known about the newest restart. */
  public RestartHistory withNewest(CompletedRestart restart) {
    var other = new ArrayList<>(newest);
    other.set(other.size() - 1, restart);
    return new RestartHistory(completed, other, life);
  }

  public RestartHistory with(ProgramLife newer) {
    return new RestartHistory(completed, newest, newer);
  }

  /** How many are counted but no longer told. */
  public int forgotten() {
    return Math.max(0, completed - newest.size());
  }
}
