package dev.regroup.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;

class NodePodReaderTest {

  private final NodePodReader reader = new NodePodReader();

  private NodePod read(int generation, String annotations, String phase) {
    return reader
        .read(
            Wire.tree(
                """
                {"metadata": {"name": "p", "namespace": "n", "uid": "u", "generation": %d,
                              "managedFields": [{"manager": "m"}], "annotations": {%s}},
                 "spec": {"containers": [{"name": "c", "image": "i"}]},
                 "status": {"phase": "%s"}}
                """
                    .formatted(generation, annotations, phase)))
        .orElseThrow();
  }

  @Test
  void what_the_node_wrote_itself_is_new_and_the_rest_is_kept() {
    var first = read(1, "'a':'b'".replace('\'', '"'), "Pending");
    var second =
        read(
            1,
            "'a':'b','regroup.dev/restarts':'x','jobset.sigs.k8s.io/in-place-restart-attempt':'1'"
                .replace('\'', '"'),
            "Running");

    assertThat(second.spec()).isSameAs(first.spec());
    assertThat(second.pod().getSpec()).isSameAs(first.pod().getSpec());
    assertThat(second.status().path("phase").asText()).isEqualTo("Running");
    assertThat(second.pod().getMetadata().getAnnotations())
        .containsEntry("a", "b")
        .containsEntry("regroup.dev/restarts", "x");
    assertThat(second.annotations().size()).isEqualTo(3);
  }

  @Test
  void what_others_wrote_is_read_anew() {
    var first = read(1, "\"a\":\"b\"", "Pending");

    assertThat(read(1, "\"a\":\"c\"", "Pending").spec()).isNotSameAs(first.spec());
    var changed = read(1, "", "Pending");
    assertThat(changed.pod().getMetadata().getAnnotations()).isEmpty();
    assertThat(read(2, "", "Pending").spec()).isNotSameAs(changed.spec());
  }

  @Test
  void who_wrote_which_field_is_left_out() {
    assertThat(read(1, "", "Pending").pod().getMetadata().getManagedFields()).isEmpty();
  }
}
