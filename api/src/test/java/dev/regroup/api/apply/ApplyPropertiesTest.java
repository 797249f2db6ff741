package dev.regroup.api.apply;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Wire;
import dev.regroup.api.apply.FieldManager.Force;
import dev.regroup.api.apply.FieldManager.Writing;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds whoever applies and updates whatever in whatever order. */
class ApplyPropertiesTest {
  private static final Schema SCHEMA = Schema.ofStored(Decoding.STRICT);
  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
  private static final Definition DEFINITION = SCHEMA.kind(POD).orElseThrow();
  private static final FieldSet NAMES =
      FieldManager.parts(List.of(List.of("apiVersion"), List.of("kind")));
  private static final int WRITES = 12;

  private static final ObjectNode RICH =
      Wire.tree(
          """
          {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"labels": {"a": "1", "b": "2"}, "annotations": {"x": "1", "y/z": "2"},
             "finalizers": ["f/1", "f/2", "f/3"],
             "ownerReferences": [{"uid": "u1", "name": "n", "kind": "Job", "apiVersion": "batch/v1"}]},
           "spec": {"hostname": "h", "priority": 3, "hostNetwork": true,
             "nodeSelector": {"s": "1"}, "securityContext": {"runAsUser": 5, "fsGroup": 7},
             "tolerations": [{"key": "k", "operator": "Exists"}],
             "volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}],
             "containers": [
               {"name": "a", "image": "i", "command": ["c", "d"],
                "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                "resources": {"limits": {"cpu": "1", "memory": "2"}},
                "livenessProbe": {"exec": {"command": ["x"]}, "periodSeconds": 5}},
               {"name": "b", "image": "j", "volumeMounts": [{"mountPath": "/m", "name": "v"}]}]},
           "status": {"phase": "Running", "podIPs": [{"ip": "1.1.1.1"}],
             "conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "No"}]}}
          """);

  private final FieldManager pods = new FieldManager(SCHEMA, POD);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void books_are_true_after_any_history(int block) throws Exception {
    for (int seed = block * 1_000; seed < block * 1_000 + 60; seed++) {
      var random = new Random(seed);
      var configurations = new RandomConfigurations(SCHEMA, random);
      ObjectNode live = pods.apply(null, some(configurations), Force.NO, at("m0", 0));
      for (int write = 1; write <= WRITES; write++) {
        var as = "seed %d, write %d".formatted(seed, write);
        var wanted = some(configurations);
        var writing = at("m" + random.nextInt(3), write);
        live =
            random.nextInt(4) == 0
                ? updated(live, wanted, writing)
                : applied(live, wanted, writing, random.nextBoolean(), as);
        allIsOwned(live, as);
      }
      allLetGo(live, "seed " + seed);
    }
  }

  /** An object that nobody manages is not tracked, so everybody says at least one thing. */
  private static ObjectNode some(RandomConfigurations configurations) {
    var some = configurations.of(DEFINITION, RICH);
    some.withObject("spec").put("hostname", "h");
    return some;
  }

  private static Writing at(String manager, int time) {
    return new Writing(manager, "", "%03d".formatted(time), FieldSet.EMPTY);
  }

  private ObjectNode updated(ObjectNode live, ObjectNode wanted, Writing writing) {
    var next = wanted.deepCopy();
    pods.update(live, next, next, writing);
    return next;
  }

  private ObjectNode applied(
      ObjectNode live, ObjectNode wanted, Writing writing, boolean forced, String as)
      throws Exception {
    ObjectNode next;
    try {
      next = pods.apply(live, wanted, forced ? Force.YES : Force.NO, writing);
    } catch (ApplyConflict conflict) {
      assertThat(forced).as(as).isFalse();
      for (var one : conflict.conflicts()) {
        assertThat(one.manager()).as(as).doesNotStartWith("\"" + writing.manager() + "\":");
      }
      next = pods.apply(live, wanted, Force.YES, writing);
    }

    var again = pods.apply(next, wanted, Force.NO, at(writing.manager(), 999));
    assertThat(again).as("%s: applied twice", as).isEqualTo(next);
    var there = ConfigurationMerge.of(SCHEMA, DEFINITION, next, wanted);
    assertThat(FieldChanges.between(SCHEMA, DEFINITION, next, there).isEmpty())
        .as("%s: the object is as applied", as)
        .isTrue();
    var self = new ManagerId(writing.manager(), ManagerId.Operation.APPLY, "v1", "");
    assertThat(books(next).fields(self))
        .as("%s: owns what it applied", as)
        .isEqualTo(OwnedFields.of(SCHEMA, DEFINITION, wanted).minus(NAMES));
    return next;
  }

  private static ManagedFields books(ObjectNode object) throws BadFields {
    return ManagedFields.read(object.at("/metadata/managedFields"));
  }

  private static void allIsOwned(ObjectNode object, String as) throws BadFields {
    var plain = object.deepCopy();
    plain.withObject("metadata").remove("managedFields");
    var fields = OwnedFields.of(SCHEMA, DEFINITION, plain).minus(NAMES);
    fields = fields.minus(FieldManager.parts(List.of(List.of("metadata"))));
    assertThat(fields.minus(books(object).all()).paths()).as("%s: owned by nobody", as).isEmpty();
  }

  /** When every applier applies nothing, only what updates wrote is left. */
  private void allLetGo(ObjectNode object, String as) throws Exception {
    var live = object;
    for (var manager : List.of("m0", "m1", "m2")) {
      var nothing = Wire.object().put("apiVersion", "v1").put("kind", "Pod");
      live = pods.apply(live, nothing, Force.NO, at(manager, 99));
    }
    for (var left : books(live).managers()) {
      assertThat(left.operation()).as(as).isEqualTo(ManagerId.Operation.UPDATE);
    }
    allIsOwned(live, as);
  }
}
