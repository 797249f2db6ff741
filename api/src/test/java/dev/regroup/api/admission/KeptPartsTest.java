package dev.regroup.api.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes of pods that leave a stored part as it is. */
class KeptPartsTest {
  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
  private final Admission admission =
      new Admission(AdmissionSettings.of(Gates.product()), new Random(1));

  private ObjectNode stored() {
    var pod =
        Wire.tree(
            """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n","uid":"1",
            "creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"serviceAccountName":"default",
            "containers":[{"name":"c","image":"i:1"}]}}
            """);
    return admission.admit(new Review(POD, Operation.CREATE, pod, null), Lookup.NOTHING).object();
  }

  /** The stored pod with another annotation and another status, its spec as given. */
  private static ObjectNode changed(ObjectNode stored, ObjectNode spec) {
    var pod = stored.deepCopy();
    pod.withObject("/metadata/annotations").put("a", "b");
    pod.withObject("/status").put("phase", "Running");
    pod.set("spec", spec);
    return pod;
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"UPDATE", "UPDATE_STATUS"})
  void a_spec_that_is_the_stored_one_is_passed_on_and_gives_what_an_equal_one_gives(
      Operation operation) {
    var stored = stored();
    var before = stored.deepCopy();
    var spec = (ObjectNode) stored.path("spec");

    var kept =
        admission.admit(new Review(POD, operation, changed(stored, spec), stored), Lookup.NOTHING);
    var copied =
        admission.admit(
            new Review(POD, operation, changed(stored, spec.deepCopy()), stored), Lookup.NOTHING);

    assertThat(kept.refusal()).isEmpty();
    assertThat(kept.object()).isEqualTo(copied.object());
    assertThat(kept.object().path("spec")).isSameAs(spec);
    assertThat(stored).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {"UPDATE", "UPDATE_STATUS"})
  void the_given_object_stays_as_it_is(Operation operation) {
    var stored = stored();
    var given = changed(stored, (ObjectNode) stored.path("spec"));
    var before = given.deepCopy();

    admission.admit(new Review(POD, operation, given, stored), Lookup.NOTHING);

    assertThat(given).isEqualTo(before);
  }
}
