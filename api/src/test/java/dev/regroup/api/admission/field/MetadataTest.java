package dev.regroup.api.admission.field;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataTest {

  private static final GroupVersionKind KIND = new GroupVersionKind("", "v1", "ConfigMap");

  @ParameterizedTest
  @CsvSource({
    "deletionTimestamp, 2026-01-02T03:04:05Z",
    "creationTimestamp, 2026-01-02T03:04:05Z",
    "uid, other",
    "name, other"
  })
  void what_is_fixed_cannot_be_changed(String field, String value) {
    var changed = object().put(field, value);

    assertThat(Metadata.update(KIND, changed, object()))
        .extracting(FieldError::toString)
        .contains("metadata.%s: Invalid value: \"%s\": field is immutable".formatted(field, value));
  }

  @Test
  void the_grace_of_a_deletion_cannot_be_given_by_a_change() {
    var changed = object().put("deletionGracePeriodSeconds", 5);

    assertThat(Metadata.update(KIND, changed, object()))
        .extracting(FieldError::toString)
        .contains("metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable");
  }

  @Test
  void a_deletion_that_began_is_kept_when_a_change_does_not_mention_it() {
    var going = object().put("deletionTimestamp", "2026-01-02T03:04:05Z");
    going.put("deletionGracePeriodSeconds", 7);
    var changed = object();

    Metadata.keep(changed, going);

    assertThat(Metadata.update(KIND, changed, going)).isEmpty();
    assertThat(changed).isEqualTo(going);
  }

  @Test
  void no_generation_is_negative() {
    assertThat(Metadata.create(KIND, object().put("generation", -5)))
        .extracting(FieldError::toString)
        .containsExactly(
            "metadata.generation: Invalid value: -5: must be greater than or equal to 0");
  }

  private static ObjectNode object() {
    return Wire.object().put("name", "a").put("namespace", "n").put("uid", "u");
  }
}
