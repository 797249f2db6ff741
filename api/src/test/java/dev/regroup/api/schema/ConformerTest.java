package dev.regroup.api.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConformerTest {

  private static final Schema SCHEMA = Schema.of(Gates.upstream(), Decoding.STRICT);

  @Test
  void a_null_in_a_list_or_a_map_is_the_zero_of_its_type() throws Exception {
    var pod =
        Wire.tree(
            """
            {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{
              "args": [null],
              "resources": {"limits": {"cpu": null}},
              "restartPolicyRules": [{"exitCodes": {"values": [1, null]}}]
            }]}}
            """);

    var read =
        new Decoder(SCHEMA)
            .decode(new Document(pod, List.of()), GroupVersionKind.of("v1", "Pod"))
            .object();

    var container = read.at("/spec/containers/0");
    assertThat(container.path("args")).hasToString("[\"\"]");
    assertThat(container.at("/resources/limits")).hasToString("{\"cpu\":\"0\"}");
    assertThat(container.at("/restartPolicyRules/0/exitCodes/values")).hasToString("[1,0]");
  }

  /** Its schema judges the rest (422), but says nothing about metadata. */
  @Test
  void the_metadata_of_a_job_set_has_the_types_of_any_metadata() {
    var kind = GroupVersionKind.of("jobset.x-k8s.io/v1alpha2", "JobSet");
    var labels = Wire.tree("{\"metadata\":{\"name\":\"a\",\"labels\":1.5}}");
    var annotation = Wire.tree("{\"metadata\":{\"annotations\":{\"a\":{}}}}");

    assertThatThrownBy(() -> decode(labels, kind))
        .hasMessage(
            "JobSet in version \"v1alpha2\" cannot be handled as a JobSet: json: cannot unmarshal"
                + " number into Go struct field ObjectMeta.labels of type map[string]string");
    assertThatThrownBy(() -> decode(annotation, kind)).hasMessageContaining("ObjectMeta");
  }

  /** Else a field that must not change seems to, when the same object is sent again. */
  @Test
  void a_fraction_in_a_job_set_equals_the_stored_one() throws Exception {
    var kind = GroupVersionKind.of("jobset.x-k8s.io/v1alpha2", "JobSet");
    var text =
        """
        {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"a"},"spec":
        {"volumeClaimPolicies":[{"templates":[{"spec":{"resources":{"requests":{"storage":1.5}}}}]}]}}
        """
            .getBytes(UTF_8);

    var read = new Decoder(SCHEMA).decode(Document.parse(text), kind);

    assertThat(read.object()).isEqualTo(Wire.tree(Wire.write(read.object())));
    assertThat(read.object().toString()).contains("\"storage\":1.5");
  }

  @Test
  void unknown_metadata_of_a_job_set_is_named_once_and_dropped() throws Exception {
    var jobSet = Wire.tree("{\"metadata\":{\"name\":\"a\",\"nonsense\":1}}");

    var read = decode(jobSet, GroupVersionKind.of("jobset.x-k8s.io/v1alpha2", "JobSet"));

    assertThat(read.problems()).containsExactly("unknown field \"metadata.nonsense\"");
    assertThat(read.object().path("metadata")).hasToString("{\"name\":\"a\"}");
  }

  private static Decoder.Decoded decode(ObjectNode tree, GroupVersionKind kind) throws Undecodable {
    return new Decoder(SCHEMA).decode(new Document(tree, List.of()), kind);
  }
}
