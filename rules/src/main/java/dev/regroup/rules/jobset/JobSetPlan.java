package dev.regroup.rules.jobset;

import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.group.Tally;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One pass over a JobSet (JS-74). Level-triggered: a pure function of what is seen now, so it may
 * be asked after any missed event or crash. The effects are performed in order, then the status is
 * written once, then the notes become events (JS-72). An order to the group goes out alone, before
 * anything else: whatever it leads to is done in the next pass, so a crash in between loses
 * nothing.
 *
 * @param write how soon the status has to be written
 * @param wakeUp when to look again if nothing happens
 * @param question what has to be known before anything is decided; then there is nothing to do, and
 *     the answer goes into the next plan
 */
public record JobSetPlan(
    List<Effect> effects,
    JobSetStatus status,
    Write write,
    List<Note> notes,
    Instant wakeUp,
    Optional<Question> question) {

  /**
   * Asks how a Job stands, read consistently: a pod of it has failed, and pods and Jobs arrive on
   * separate watches (JS-160b). The counters are told the answer, and the Job is named in {@link
   * Group#confirmed} of the next plan.
   */
  public record Question(String job) {}

  /** Performed in order; a failure ends the pass. */
  public sealed interface Effect {

    /** With foreground propagation (JS-78). */
    record DeleteJob(ChildJob job) implements Effect {}

    record DeleteJobSet() implements Effect {}

    record CreateService(JobSetSpec.Network network) implements Effect {}

    record CreateClaim(String template) implements Effect {}

    /** {@code position} counts the replicated jobs of the spec. */
    record CreateJob(int position, int jobIndex, String name) implements Effect {}

    record ScaleJob(ChildJob job, int size) implements Effect {}

    record SuspendJob(ChildJob job) implements Effect {}

    record ResumeJob(ChildJob job, int position) implements Effect {}
  }

  /** How soon a status has to be written. */
  public enum Write {
    NOTHING,
    /** Only counts changed while a group restarts: at most one write per five seconds (JS-157). */
    LAZY,
    NOW,
    /** Carries an order to the group: never held back. */
    ORDER
  }

  /**
   * An event that is due once the status has been written.
   *
   * @param id if it is not empty, the event is told before the status that no longer asks for it,
   *     and under this name: exactly once, whoever dies in between
   */
  public record Note(boolean warning, String reason, String message, String id) {

    Note(boolean warning, String reason, String message) {
      this(warning, reason, message, "");
    }

    static Note warning(String reason, String message) {
      return new Note(true, reason, message);
    }

    static Note once(String reason, String message, String id) {
      return new Note(false, reason, message, id);
    }

    public boolean once() {
      return !id.isEmpty();
    }
  }

  /** Searches a text with an RE2 pattern; a pattern that does not compile finds nothing (JS-87). */
  @FunctionalInterface
  public interface Patterns {
    boolean found(String pattern, String text);
  }

  /** What exists beside the child Jobs. */
  public record World(boolean service, Set<String> claims) {
    public World {
      claims = Set.copyOf(claims);
    }
  }

  /**
   * What is known of the group; {@code waitingSince} is when the first pod came to a barrier that
   * is still down, {@code oddSince} since when a report is there that nobody can have written,
   * {@code confirmed} the Jobs that were read after their pods failed, {@code recheck} when to look
   * whether a Job that was about to end has done so.
   */
  public record Group(
      Tally tally,
      Optional<GroupRestartRequest> request,
      Optional<Instant> waitingSince,
      Optional<Instant> oddSince,
      Set<String> confirmed,
      Optional<Instant> recheck) {
    public Group {
      confirmed = Set.copyOf(confirmed);
    }
  }

  public JobSetPlan {
    effects = List.copyOf(effects);
    notes = List.copyOf(notes);
  }

  /**
   * Whether this pass is one to tell what restarts have cost: nobody waits for it, and it writes
   * anyway or there is something new.
   */
  public boolean tellsCosts(boolean news) {
    boolean unhurried =
        write == Write.NOW || write == Write.LAZY || (news && write == Write.NOTHING);
    var group = status.group();
    return unhurried && !group.restarts().isEmpty() && !group.barrier().gathering();
  }

  /** The same plan; it tells what restarts have cost, too. */
  public JobSetPlan withCosts(JobSetStatus written, List<GroupCosts.Teller> pods) {
    var told = GroupCosts.told(status, pods);
    var news = GroupCosts.news(written, told, pods);
    var all = new ArrayList<>(notes);
    all.addAll(news);
    var soon = write == Write.NOTHING && !news.isEmpty() ? Write.NOW : write;
    return new JobSetPlan(effects, told, soon, all, wakeUp, question);
  }

  /** The child Jobs of the newest generation; only their pods count for the group (JS-140). */
  public static List<ChildJob> generation(
      JobSetSpec spec, JobSetStatus status, JobSetGates gates, List<ChildJob> jobs) {
    var children = new Children(spec, status, gates, jobs);
    return jobs.stream().filter(job -> !children.previous.contains(job)).toList();
  }

  /** Who is expected at the barrier, to be told to the group's counters before a plan is made. */
  public static Roster roster(
      JobSetSpec spec, JobSetStatus status, JobSetGates gates, List<ChildJob> jobs) {
    if (!spec.inPlace() || !gates.inPlaceRestart()) {
      return Roster.EMPTY;
    }
    var children = new Children(spec, status, gates, jobs);
    return GroupStep.roster(spec, status.withReplicatedJobs(children.statuses(spec, status)));
  }

  /** The same of a JobSet that restarts in place, for whoever sees nothing but its status. */
  public static Roster roster(JobSetSpec spec, JobSetStatus status) {
    return GroupStep.roster(spec, status);
  }

  public static JobSetPlan plan(
      JobSetSpec spec,
      JobSetStatus status,
      JobSetGates gates,
      List<ChildJob> jobs,
      World world,
      Optional<Group> group,
      Patterns patterns,
      Instant now) {
    var children = new Children(spec, status, gates, jobs);
    var seen = status.withReplicatedJobs(children.statuses(spec, status));
    var draft = new Pass(spec, gates, children, world, group, now);
    return draft.plan(status, seen, patterns);
  }
}
