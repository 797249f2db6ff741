package dev.regroup.api.admission.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Links from outside, such as webhooks and policies, in their places in the chain. */
class AdmissionChainTest {
  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");
  private static final Lookup ACCOUNTS =
      (_, kind, _, _) ->
          kind.equals("ServiceAccount") ? Optional.of(Wire.object()) : Optional.empty();

  private final Admission admission =
      new Admission(AdmissionSettings.of(Gates.upstream()), new Random(1));
  private final List<String> asked = new ArrayList<>();

  @Test
  void a_mutating_link_sees_defaults_and_plugins_and_is_validated_itself() throws Exception {
    AdmissionLink<InterruptedException> link =
        (review, _) -> {
          asked.add(review.object().at("/spec/restartPolicy").asText());
          asked.add(review.object().at("/spec/serviceAccountName").asText());
          ((ObjectNode) review.object().path("spec")).put("restartPolicy", "Sometimes");
          return review.unchanged();
        };

    var admitted = admission.with(List.of(link), List.of()).admit(create(), ACCOUNTS);

    assertThat(asked).containsExactly("Always", "default");
    assertThat(admitted.refusal().orElseThrow().path("message").asText())
        .contains("Unsupported value: \"Sometimes\"");
  }

  @Test
  void a_validating_link_sees_what_would_be_stored() throws Exception {
    AdmissionLink<InterruptedException> link =
        (review, _) -> {
          asked.add(review.object().at("/status/phase").asText());
          return review.passed(List.of("looked at"), List.of());
        };

    var admitted = admission.with(List.of(), List.of(link)).admit(create(), ACCOUNTS);

    assertThat(admitted.refusal()).isEmpty();
    assertThat(asked).containsExactly("Pending");
    assertThat(admitted.warnings()).containsExactly("looked at");
  }

  @Test
  void a_refusal_ends_the_chain_and_keeps_the_warnings_before_it() throws Exception {
    AdmissionLink<InterruptedException> warns =
        (review, _) -> review.passed(List.of("careful"), List.of());
    AdmissionLink<InterruptedException> refuses =
        (review, _) ->
            new Admitted(review.object(), List.of(), List.of(), RefusalStatus.denied("door", "no"));
    AdmissionLink<InterruptedException> late =
        (review, _) -> {
          asked.add("late");
          return review.unchanged();
        };

    var admitted = admission.with(List.of(warns, refuses), List.of(late)).admit(create(), ACCOUNTS);

    assertThat(admitted.refusal()).isPresent();
    assertThat(admitted.warnings()).containsExactly("careful");
    assertThat(asked).isEmpty();
  }

  @Test
  void a_link_may_wait_and_is_woken_by_an_interrupt() {
    AdmissionLink<InterruptedException> waits =
        (review, _) -> {
          new CountDownLatch(1).await();
          return review.unchanged();
        };
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> admission.with(List.of(waits), List.of()).admit(create(), ACCOUNTS))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void without_links_from_outside_nothing_is_different() throws Exception {
    var alone = admission.admit(create(), ACCOUNTS);

    assertThat(admission.with(List.of(), List.of()).admit(create(), ACCOUNTS)).isEqualTo(alone);
  }

  @Test
  void the_object_of_the_caller_stays_as_it_is() {
    var review = create();

    admission.admit(review, ACCOUNTS);

    assertThat(review.object()).isEqualTo(create().object());
  }

  private static Review create() {
    var pod =
        Wire.tree(
            """
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "p", "namespace": "default", "uid": "u",
               "creationTimestamp": "2026-11-16T00:00:00Z"},
             "spec": {"containers": [{"name": "c", "image": "i"}]}}
            """);
    return new Review(POD, Operation.CREATE, pod, null);
  }
}
