package dev.regroup.api.admission.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.tree.Trees;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimRulesTest {

  private final ClaimRules rules = new ClaimRules();

  @Test
  void a_claim_grows_only_when_it_is_bound() throws IOException {
    assertThat(refusals(claim("Pending", "2Gi"), claim("Pending", "1Gi")))
        .hasSize(1)
        .allMatch(text -> text.startsWith("spec: Forbidden: spec is immutable after creation"));
    assertThat(refusals(claim("Bound", "2Gi"), claim("Bound", "1Gi"))).isEmpty();
  }

  @Test
  void a_claim_does_not_become_smaller_than_what_it_has() throws IOException {
    assertThat(refusals(claim("Bound", "1Gi"), claim("Bound", "2Gi")))
        .containsExactly(
            "spec.resources.requests.storage: Forbidden: field can not be less than"
                + " status.capacity");
  }

  @Test
  void a_volume_is_named_once() throws IOException {
    var unnamed = claim("Pending", "1Gi");
    var named = claim("Pending", "1Gi");
    Trees.child(named, "spec").put("volumeName", "v");
    var other = claim("Pending", "1Gi");
    Trees.child(other, "spec").put("volumeName", "w");

    assertThat(refusals(named, unnamed)).isEmpty();
    assertThat(refusals(other, named)).hasSize(1);
  }

  @Test
  void a_source_is_named_in_both_places() throws IOException {
    var claim = claim("Pending", "1Gi");
    var source = Trees.child(Trees.child(claim, "spec"), "dataSource");
    source.put("kind", "PersistentVolumeClaim").put("name", "x");

    rules.complete(claim);

    assertThat(claim.path("spec").path("dataSourceRef")).isEqualTo(source);
  }

  private List<String> refusals(ObjectNode claim, ObjectNode old) {
    return rules.check(claim, old).stream().map(FieldError::toString).toList();
  }

  private static ObjectNode claim(String phase, String amount) throws IOException {
    var text =
        """
        {"spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                  "resources": {"requests": {"storage": "%s"}}},
         "status": {"phase": "%s", "capacity": {"storage": "1Gi"}}}
        """;
    return Wire.tree(text.formatted(amount, phase).getBytes(UTF_8));
  }
}
