package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.PodReader;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.Baseline;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.PodSigns;
import dev.regroup.rules.group.Roster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Whatever an object looks like, reading it throws nothing: a listener that throws would leave its
 * group standing still. A failure prints the seed.
 */
class OddObjectsTest {

  private static final int OBJECTS = 20_000;

  private static final String POD =
      """
      {"metadata":{"name":"p","namespace":"n","uid":"12","resourceVersion":"5",
        "creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-01T00:00:30Z",
        "deletionGracePeriodSeconds":30,"finalizers":["batch.kubernetes.io/job-tracking"],
        "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"a-w-0","uid":"j",
          "controller":true}],
        "labels":{"jobset.sigs.k8s.io/jobset-name":"a"},
        "annotations":{"jobset.sigs.k8s.io/in-place-restart-attempt":"1",
          "jobset.sigs.k8s.io/epoch":"2","batch.kubernetes.io/job-completion-index":"0",
          "batch.kubernetes.io/job-index-failure-count":"1",
          "jobset.sigs.k8s.io/inject-in-place-restart-agent":"node"}},
       "spec":{"nodeName":"x","restartPolicy":"Never",
        "initContainers":[{"name":"agent","restartPolicy":"Always","restartPolicyRules":[
          {"action":"RestartAllContainers","exitCodes":{"operator":"NotIn","values":[0]}}]}],
        "containers":[{"name":"worker","restartPolicy":"Never",
          "env":[{"name":"A","value":"b"}],"restartPolicyRules":[
          {"action":"RestartAllContainers","exitCodes":{"operator":"NotIn","values":[0,3]}}]}]},
       "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",
          "lastTransitionTime":"2026-01-01T00:00:00Z"},
         {"type":"AllContainersRestarting","status":"True","message":"Container worker exited",
          "lastTransitionTime":"2026-01-01T00:00:00Z"}],
        "initContainerStatuses":[{"name":"agent","restartCount":1,"state":{"running":{}}}],
        "containerStatuses":[{"name":"worker","restartCount":2,
          "state":{"waiting":{"reason":"CrashLoopBackOff"}},
          "lastState":{"terminated":{"exitCode":1,"reason":"RestartingAllContainers",
           "message":"Container worker exited with code 1, triggering pod restart",
           "finishedAt":"2026-01-01T00:00:00Z"}}}]}}
      """;

  private static final String JOB =
      """
      {"metadata":{"name":"a-w-0","namespace":"n","uid":"j","resourceVersion":"5","generation":1,
        "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"},
        "ownerReferences":[{"apiVersion":"x/v1","kind":"JobSet","name":"a","uid":"s",
          "controller":true}]},
       "spec":{"completionMode":"Indexed","completions":2,"parallelism":2,"backoffLimit":3,
        "backoffLimitPerIndex":1,"maxFailedIndexes":1,"activeDeadlineSeconds":9,"suspend":false,
        "podReplacementPolicy":"Failed","selector":{"matchLabels":{"a":"b"}},
        "podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In",
          "containerName":"worker","values":[3]}},{"action":"Ignore","onPodConditions":[
          {"type":"DisruptionTarget","status":"True"}]}]},
        "successPolicy":{"rules":[{"succeededIndexes":"0-1","succeededCount":1}]},
        "template":{"metadata":{"annotations":{"a":"b"}},"spec":{"restartPolicy":"Never"}}},
       "status":{"startTime":"2026-01-01T00:00:00Z","active":1,"ready":1,"succeeded":0,"failed":1,
        "terminating":1,"completedIndexes":"0,3-4","failedIndexes":"1",
        "uncountedTerminatedPods":{"succeeded":["a"],"failed":["b"]},
        "conditions":[{"type":"FailureTarget","status":"True","reason":"r","message":"m",
         "lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
      """;

  private static final String JOB_SET =
      """
      {"metadata":{"name":"a","namespace":"n","uid":"s","annotations":{
         "regroup.dev/restart-request":"{\\"requestID\\":\\"1\\",\\"uncounted\\":true}"}},
       "spec":{"suspend":false,"ttlSecondsAfterFinished":3,"network":{"subdomain":"x"},
        "successPolicy":{"operator":"All","targetReplicatedJobs":["w"]},
        "failurePolicy":{"maxRestarts":1,"restartStrategy":"InPlaceRestart","rules":[
         {"name":"r","action":"FailJobSet","onJobFailureReasons":["PodFailurePolicy"]}]},
        "coordinator":{"replicatedJob":"w","jobIndex":0,"podIndex":0},
        "startupPolicy":{"startupPolicyOrder":"InOrder"},
        "volumeClaimPolicies":[{"templates":[{"metadata":{"name":"c"}}]}],
        "replicatedJobs":[{"name":"w","replicas":2,"groupName":"g","dependsOn":[
          {"name":"v","status":"Ready"}],"template":{"metadata":{"annotations":{"a":"b"}},
          "spec":{"parallelism":2,"completions":2,"completionMode":"Indexed"}}}]},
       "status":{"restarts":1,"restartsCountTowardsMax":1,"currentInPlaceRestartAttempt":1,
        "previousInPlaceRestartAttempt":0,"syncedEpoch":2,"deprecatedEpoch":1,
        "inPlaceRestarts":[{"attempt":1,"startedAt":"2026-01-01T00:00:00Z","pod":"p",
          "exitCode":1,"reason":"JobFailed","counted":true}],
        "lastRestartRequest":{"requestID":"1","time":"2026-01-01T00:00:00Z"},
        "conditions":[{"type":"Failed","status":"False"}],
        "replicatedJobsStatus":[{"name":"w","ready":1,"jobRestarts":[0,1]}]}}
      """;

  @Test
  void an_odd_pod_is_read_and_counted() {
    var roster =
        new Roster(List.of(new Roster.Entry("w", List.of("a-w-0"), 2, Roster.Places.INDEXED)));
    var counters = new Counters();
    counters.expect(roster);
    var reader = new PodReader(EnumSet.allOf(RuleGate.class));
    var baseline = new AtomicReference<>(Baseline.NONE);
    var now =
        new PodSigns.Situation(
            OptionalInt.of(1),
            Instant.EPOCH,
            PodSigns.NodeState.REACHABLE,
            PodSigns.After.REPLACES_IT);

    each(
        POD,
        pod -> {
          var spec = PodSpecs.of(pod);
          StatusReader.read(spec, pod.path("status"), pod.at("/metadata/annotations"));
          var view = reader.read(pod);
          if (view.group().isPresent()) {
            var seen = PodSigns.read("a-w-0", view.group().get(), view.job(), now, baseline.get());
            baseline.set(seen.baseline());
            counters.put(seen.reading());
            assertThat(counters.tally().expected()).isEqualTo(2);
          }
        });
  }

  @Test
  void an_odd_job_is_read() {
    each(JOB, JobView::read);
  }

  @Test
  void an_odd_jobset_is_read() {
    each(
        JOB_SET,
        jobSet -> {
          JobSetView.read(jobSet);
          JobSetReader.orders(jobSet);
        });
  }

  private static void each(String text, Consumer<ObjectNode> reads) {
    for (int seed = 0; seed < OBJECTS; seed++) {
      var object = Wire.tree(text);
      var random = new Random(seed);
      for (int change = random.nextInt(4); change >= 0; change--) {
        spoil(object, random);
      }
      try {
        reads.accept(object);
      } catch (RuntimeException e) {
        fail("seed %d: %s%n%s".formatted(seed, e, object), e);
      }
    }
  }

  /** Puts something else in a random place. */
  private static void spoil(ObjectNode root, Random random) {
    JsonNode node = root;
    while (true) {
      switch (node) {
        case ObjectNode object when !object.isEmpty() -> {
          var names = new ArrayList<String>();
          object.fieldNames().forEachRemaining(names::add);
          var name = names.get(random.nextInt(names.size()));
          if (!object.get(name).isContainerNode() || random.nextInt(6) == 0) {
            object.set(name, odd(random));
            return;
          }
          node = object.get(name);
        }
        case ArrayNode array when !array.isEmpty() -> {
          int index = random.nextInt(array.size());
          if (!array.get(index).isContainerNode() || random.nextInt(6) == 0) {
            array.set(index, odd(random));
            return;
          }
          node = array.get(index);
        }
        default -> {
          return;
        }
      }
    }
  }

  private static JsonNode odd(Random random) {
    var make = JsonNodeFactory.instance;
    return switch (random.nextInt(14)) {
      case 0 -> make.nullNode();
      case 1 -> make.numberNode(-1);
      case 2 -> make.numberNode(Long.MAX_VALUE);
      case 3 -> make.numberNode(1e300);
      case 4 -> make.textNode("");
      case 5 -> make.textNode("99999999999999999999");
      case 6 -> make.textNode("-7");
      case 7 -> make.textNode("1-0,3-2147483647");
      case 8 -> make.textNode("+1000000000-12-31T23:59:60Z");
      case 9 -> make.booleanNode(true);
      case 10 -> make.arrayNode().add(make.arrayNode()).addNull();
      case 11 -> many(make);
      case 12 -> make.objectNode().putNull("");
      default -> make.textNode("Container \u0000 exited with code 99999999999, triggering");
    };
  }

  private static ArrayNode many(JsonNodeFactory make) {
    var array = make.arrayNode();
    for (int i = 0; i < 300; i++) {
      array.add(i);
    }
    return array;
  }
}
