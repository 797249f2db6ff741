package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.cli.report.ReportPage;
import dev.regroup.cli.report.ReportText;
import dev.regroup.cli.report.ReportTrace;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunReportTest {

  private static final String A = "training-worker-0-0-aaaaa";
  private static final String B = "training-worker-0-1-bbbbb";

  private final RunProgress progress = new RunProgress();

  @Test
  void a_restart_lasts_until_the_first_output_and_names_what_was_done_twice() {
    progress.expect("JobSet", "default", "t");
    var source = new EnumMap<Moment, Instant>(SOURCE);
    source.put(Moment.FIRST_OUTPUT, at(1_310));
    source.put(Moment.CAUGHT_UP, at(2_310));
    var history =
        RestartHistory.NONE
            .with(new CompletedRestart(1, source, new ProgramBreak(at(-1), 180, 151)))
            .with(
                new ProgramLife(
                    at(-9_000), at(-8_500), at(5_000), new ProgressStep(400, 400, at(5_000))));
    see("Pod", A, "{}", history);
    see("Pod", B, "{}", restarted(VICTIM));
    seeJobSet(at(300));

    var report = report("succeeded", at(-10_000), at(10_000), List.of());
    String text = ReportText.of(report);

    assertThat(text)
        .isEqualTo(
            """
            succeeded in 20.00s, 1 restart
              goodput 80.9%: lost 1.50s until it first worked, 1.31s down, 1.00s doing steps
                again
            restart 1: 1.31s down, 2 pods, slowest training-worker-0-1-bbbbb
              until noticed 0.04s, stopped 0.02s, removed 0.01s, at the barrier 0.18s,
                lifted 0.05s, running 0.03s, first output 0.98s, back at its step 1.00s
              went on with step 151, 30 steps done twice
              because of training-worker-0-0-aaaaa: container w exited with code 1
                | the last words\
            """);
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
    assertThat(report.path("goodput").path("usefulSeconds").asDouble()).isEqualTo(16.19);
    assertThat(report.path("restarts").path(0).path("pods").findValuesAsText("role"))
        .containsExactly("culprit", "follower");
    assertThat(report.path("workloads").path(0).path("result").asText()).isEqualTo("unfinished");
  }

  @Test
  void every_form_of_a_report_is_made_from_its_tree() {
    seeGroup(at(300), SOURCE, late());
    var report = report("failed", at(0), at(9_000), List.of("because of <b>&\"'\u001b[2J"));

    assertThat(ReportPage.of(report))
        .contains("&lt;b&gt;&amp;&quot;&#39;\u241b[2J")
        .contains("\\u003cb>&")
        .contains("at the barrier")
        .doesNotContain("<b>")
        .doesNotContain("\u001b")
        .doesNotContainPattern("(?i)https?://|<script src|<link|<img|url\\(|\nimport |\nexport ");
    var trace = ReportTrace.of(report).path("traceEvents");
    assertThat(trace.findValuesAsText("name")).contains("restart 1", "stopped", "thread_name");
    assertThat(trace)
        .allSatisfy(event -> assertThat(event.path("ph").asText()).isIn("X", "M", "i"));
  }

  @Test
  void a_group_restart_is_told_with_its_stages_and_its_cause_within_80_columns() {
    seeGroup(at(300), SOURCE, VICTIM);

    String text = text();

    assertThat(text)
        .isEqualTo(
            """
            succeeded in 1.23s, 1 restart
            restart 1: 0.33s down, 2 pods, slowest training-worker-0-1-bbbbb
              until noticed 0.04s, stopped 0.02s, removed 0.01s, at the barrier 0.18s,
                lifted 0.05s, running 0.03s
              because of training-worker-0-0-aaaaa: container w exited with code 1
                | the last words
            hint: no steps were seen, so what was done twice is not counted: print "step N"
              or write N into $JOBSET_RESTART_DIR/progress\
            """);
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void among_workers_that_fail_in_one_second_the_first_exit_is_the_cause() {
    var later = new EnumMap<Moment, Instant>(SOURCE);
    later.put(Moment.EXIT_SEEN, at(8));
    see("Pod", A, FAILED, RestartHistory.NONE); // the one the API names
    see("Pod", B, FAILED.replace("://a", "://b"), RestartHistory.NONE);
    seeGroup(at(300), later, SOURCE);

    var restart = report("succeeded", at(0), at(9_000), List.of()).path("restarts").path(0);

    assertThat(restart.path("cause").asText()).isEqualTo(B + ": container w exited with code 1");
    assertThat(restart.path("culprit").path("pod").asText()).isEqualTo(B);
  }

  private static final String FAILED =
      """
      {"containerStatuses":[{"name":"w","containerID":"x://a","state":{"terminated":
        {"exitCode":1,"finishedAt":"1970-01-01T00:00:00Z","containerID":"x://a"}}}]}
      """;

  @Test
  void a_restart_that_no_group_got_past_is_none() {
    see("Pod", A, "{}", restarted(SOURCE));
    see("JobSet", "t", "{}", RestartHistory.NONE);

    assertThat(text()).isEqualTo("succeeded in 1.23s, no restarts");
  }

  /** JS-169. */
  @Test
  void workers_that_let_their_group_wait_are_named_with_the_annotation_that_bounds_it() {
    seeGroup(at(2_300), SOURCE, late());

    String text = text();

    assertThat(text)
        .contains(
            """
              2.00s of it for training-worker-0-1-bbbbb to end after the stop signal
            """)
        .contains(
            """
            hint: workers catch SIGTERM: annotation regroup.dev/restart-grace: "0" saves
              2.0s per restart
            """)
        .doesNotContain("for training-worker-0-0-aaaaa");
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void restarts_a_pod_no_longer_tells_of_are_still_counted() {
    var history = RestartHistory.NONE;
    for (int cycle = 1; cycle <= 12; cycle++) {
      var moments = Map.of(Moment.NOTICED, at(20 * cycle), Moment.RUNNING, at(20 * cycle + 10));
      history = history.with(new CompletedRestart(cycle, moments));
    }
    seePlain("p", 12, history);

    assertThat(text())
        .startsWith("succeeded in 1.23s, 12 restarts\nof 12 restarts the last 10:\nrestart 3: ")
        .contains("\nrestart 12: 0.01s down, p");
  }

  private static Map<Moment, Instant> late() {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    VICTIM.forEach(
        (moment, at) -> moments.put(moment, moment == Moment.NOTICED ? at : at.plusMillis(1_980)));
    return moments;
  }

  /** The page shows what a report says; it said that nothing was lost while all stood still. */
  @Test
  void a_restart_whose_barrier_stands_counts_as_down_in_reports_and_views() {
    progress.expect("JobSet", "default", "t");
    var life = new ProgramLife(at(-9_000), at(-8_500), at(-1), null);
    see("Pod", A, "{}", RestartHistory.NONE.with(life));
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"startedAt":"1970-01-01T00:00:00.040Z"}]}
        """,
        RestartHistory.NONE);

    var report = report("running", at(-10_000), at(5_040), List.of());

    assertThat(report.path("goodput").path("downSeconds").asDouble()).isEqualTo(5.0);
    assertThat(view(at(5_040)).goodput().orElseThrow().down()).hasMillis(5_000);
  }

  private static final String BEHIND_BARRIER =
      """
      {"phase":"Pending","containerStatuses":[{"name":"w","state":{"waiting":
        {"reason":"WaitingForBarrier"}}}]}
      """;

  /** What counts is what the output shows, so a figure never goes back when pods tell more. */
  @Test
  void a_group_past_its_barrier_is_down_until_all_run_and_one_has_written_again() {
    progress.expect("JobSet", "default", "t");
    var wrote = new ProgramBreak(at(-1), -1, -1);
    see("Pod", A, BEHIND_BARRIER, RestartHistory.NONE);
    see("Pod", B, BEHIND_BARRIER, RestartHistory.NONE);
    seeJobSet(at(300));
    assertUnderWay(at(320));

    see("Pod", A, "{}", RestartHistory.NONE.with(new CompletedRestart(1, SOURCE, wrote)));
    assertUnderWay(at(900)); // the other has not started

    see("Pod", B, "{}", RestartHistory.NONE.with(new CompletedRestart(1, VICTIM, wrote)));
    assertUnderWay(at(2_000)); // both run, and nobody has written anything

    var spoken = new EnumMap<Moment, Instant>(VICTIM);
    spoken.put(Moment.FIRST_OUTPUT, at(2_500));
    see("Pod", B, "{}", RestartHistory.NONE.with(new CompletedRestart(1, spoken, wrote)));
    var view = view(at(9_000));
    assertThat(view.restart()).isEmpty();
    assertThat(view.restarts())
        .singleElement()
        .satisfies(told -> {
          assertThat(told.down()).hasMillis(2_500);
          assertThat(told.blame().lastLine()).isEqualTo("the last words");
        });
  }

  /**
   * The first start of a large group takes its time; a worker may fail before the last one runs.
   */
  @Test
  void who_still_waits_at_the_barrier_of_the_attempt_before_has_not_come_to_this_one() {
    progress.expect("JobSet", "default", "t");
    see(
        "Pod",
        A,
        BEHIND_BARRIER,
        RestartHistory.NONE,
        Map.of(JobSetKeys.IN_PLACE_RESTART_ATTEMPT, "0"));
    see(
        "Pod",
        B,
        BEHIND_BARRIER,
        RestartHistory.NONE,
        Map.of(JobSetKeys.IN_PLACE_RESTART_ATTEMPT, "1"));
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"startedAt":"1970-01-01T00:00:00.040Z"}]}
        """,
        RestartHistory.NONE);

    assertThat(view(at(100)).workers())
        .extracting(RunView.Worker::sign)
        .containsExactly(RunView.Sign.STOPPING, RunView.Sign.AT_BARRIER);
  }

  private void assertUnderWay(Instant now) {
    var view = view(now);
    var report = report("running", at(-10_000), now, List.of());

    assertThat(view.restart()).hasValueSatisfying(one -> assertThat(one.lifted()).isTrue());
    assertThat(view.restarts()).isEmpty();
    assertThat(report.path("restarts").path(0).path("works").asText()).isEqualTo(now.toString());
  }

  private RunView view(Instant now) {
    return RunViews.of(progress, 3, at(-10_000), now, _ -> List.of("before", "the last words"));
  }

  @Test
  void why_it_failed_comes_first() {
    String text =
        ReportText.of(
            report(
                "failed",
                at(0),
                at(4730),
                List.of("because of p: container c exited with code 7")));

    assertThat(text)
        .isEqualTo(
            """
            failed in 4.73s, no restarts
              because of p: container c exited with code 7\
            """);
  }

  @Test
  void warnings_and_what_is_told_of_groups_are_kept_and_starts_of_pods_are_not() {
    tell("e1", "Normal", "Started", "Pod");
    tell("e2", "Warning", "BackOff", "Pod");
    tell("e3", "Normal", "InPlaceRestartStarted", "JobSet");
    tell("e2", "Warning", "BackOff", "Pod"); // once more

    var report = report("failed", at(0), at(1), List.of());

    assertThat(report.path("events"))
        .extracting(event -> event.path("reason").asText())
        .containsExactly("InPlaceRestartStarted", "BackOff");
    assertThat(report.path("events").path(1).toString())
        .isEqualTo(
            """
            {"at":"1970-01-01T00:00:01Z","type":"Warning","reason":"BackOff","kind":"Pod",\
            "name":"it","text":"words","count":1}\
            """);
    assertThat(ReportTrace.of(report).toString()).contains("BackOff it: words");
  }

  @ParameterizedTest
  @CsvSource({"1430, 00:00:01.430Z", "2500, 00:00:01.999Z", "3500, 00:00:01Z", "700, 00:00:01Z"})
  void an_event_that_is_heard_at_once_has_the_time_it_was_heard(long millis, String told) {
    tell("e1", "Warning", "BackOff", "Pod", at(millis));

    var event = report("failed", at(0), at(1), List.of()).path("events").path(0);

    assertThat(event.path("at").asText()).isEqualTo("1970-01-01T" + told);
  }

  private void tell(String uid, String type, String reason, String kind) {
    tell(uid, type, reason, kind, Instant.EPOCH);
  }

  private void tell(String uid, String type, String reason, String kind, Instant now) {
    var event = Wire.object().put("kind", "Event").put("type", type).put("reason", reason);
    event.put("message", "words").put("lastTimestamp", "1970-01-01T00:00:01Z");
    event.putObject("metadata").put("uid", uid).put("name", uid);
    event.putObject("involvedObject").put("kind", kind).put("name", "it");
    progress.changed(event, now);
  }

  private String text() {
    return ReportText.of(report("succeeded", at(0), at(1234), List.of()));
  }

  private ObjectNode report(String result, Instant began, Instant ended, List<String> why) {
    return RunReport.tree(
        progress,
        new RunReport.Circumstances(
            result, began, ended, why, List.of(), _ -> List.of("the last words")));
  }

  private static final Map<Moment, Instant> SOURCE =
      Map.of(
          Moment.EXIT_SEEN, at(0),
          Moment.NOTICED, at(10),
          Moment.STOPPED, at(20),
          Moment.REMOVED, at(30),
          Moment.AT_BARRIER, at(100),
          Moment.LIFTED, at(300),
          Moment.RUNNING, at(310));

  private static final Map<Moment, Instant> VICTIM =
      Map.of(
          Moment.NOTICED, at(40),
          Moment.STOPPED, at(60),
          Moment.REMOVED, at(70),
          Moment.AT_BARRIER, at(250),
          Moment.LIFTED, at(300),
          Moment.RUNNING, at(330));

  private static RestartHistory restarted(Map<Moment, Instant> moments) {
    return RestartHistory.NONE.with(new CompletedRestart(1, moments));
  }

  /** Two workers whose group restarted once. */
  private void seeGroup(Instant lifted, Map<Moment, Instant> a, Map<Moment, Instant> b) {
    see("Pod", A, "{}", restarted(a));
    see("Pod", B, "{}", restarted(b));
    seeJobSet(lifted);
  }

  private void seeJobSet(Instant lifted) {
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"pod":"training-worker-0-0-aaaaa","container":"w",
          "reason":"ContainerExited","exitCode":1,"startedAt":"1970-01-01T00:00:00.040Z",
          "liftedAt":"%s"}]}
        """
            .formatted(lifted),
        RestartHistory.NONE);
  }

  /** A pod of nobody whose only container restarted so often. */
  private void seePlain(String uid, int restarts, RestartHistory history) {
    ObjectNode pod = Wire.object().put("kind", "Pod");
    pod.putObject("metadata")
        .put("namespace", "default")
        .put("name", uid)
        .put("uid", uid)
        .set("annotations", Wire.toTree(RestartHistories.annotations(history)));
    var status = pod.putObject("status").putArray("containerStatuses").addObject();
    status.put("name", "c").put("restartCount", restarts).putObject("state").putObject("running");
    progress.changed(pod, Instant.EPOCH);
  }

  private void see(String kind, String uid, String status, RestartHistory history) {
    see(kind, uid, status, history, Map.of());
  }

  private void see(
      String kind, String uid, String status, RestartHistory history, Map<String, String> notes) {
    ObjectNode object = Wire.object().put("kind", kind);
    var metadata = object.putObject("metadata");
    metadata.put("namespace", "default").put("name", uid).put("uid", uid);
    metadata.putObject("labels").put("jobset.sigs.k8s.io/jobset-name", "t");
    var annotations = new HashMap<>(RestartHistories.annotations(history));
    annotations.putAll(notes);
    metadata.set("annotations", Wire.toTree(annotations));
    object.putObject("spec").putObject("failurePolicy").put("restartStrategy", "InPlaceRestart");
    object.set("status", Wire.tree(status));
    progress.changed(object, Instant.EPOCH);
  }

  @Test
  void workers_are_counted_as_their_ranks_are_in_every_view() {
    progress.expect("JobSet", "default", "t");
    seeWorker("t-worker-0-1", 1, 1);
    seeWorker("t-eval-10-0", 12, 0);
    seeWorker("t-worker-0-0", 1, 0);
    seeWorker("t-eval-9-0", 11, 0);
    seeWorker("t-zeroth-0-0", 0, 0);

    var order =
        List.of("t-zeroth-0-0", "t-worker-0-0", "t-worker-0-1", "t-eval-9-0", "t-eval-10-0");
    assertThat(
            report("running", at(0), at(9_000), List.of())
                .path("workers")
                .findValuesAsText("worker"))
        .isEqualTo(order);
    assertThat(RunViews.of(progress, 1, at(0), at(9_000), _ -> List.of()).workers())
        .extracting(RunView.Worker::name)
        .isEqualTo(order);
  }

  private void seeWorker(String name, int job, int rank) {
    var pod = Wire.object().put("kind", "Pod");
    var metadata = pod.putObject("metadata");
    metadata.put("namespace", "default").put("name", name + "-abcde").put("uid", name);
    metadata
        .putObject("labels")
        .put("jobset.sigs.k8s.io/jobset-name", "t")
        .put("jobset.sigs.k8s.io/job-global-index", String.valueOf(job));
    metadata
        .putObject("annotations")
        .put("batch.kubernetes.io/job-completion-index", String.valueOf(rank));
    pod.putObject("spec").put("hostname", name);
    pod.putObject("status").put("phase", "Running");
    progress.changed(pod, Instant.EPOCH);
  }

  private static Instant at(long millis) {
    return Instant.EPOCH.plusMillis(millis);
  }
}
