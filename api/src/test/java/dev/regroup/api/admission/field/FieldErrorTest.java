package dev.regroup.api.admission.field;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;

class FieldErrorTest {

  @Test
  void a_structure_is_printed_with_capitals_whatever_its_keys() {
    var template = Wire.tree("{\"metadata\": {\"labels\": {\"\": \"x\", \"ß\": \"y\"}}}");

    assertThat(FieldError.internal(template))
        .hasToString("{\"Metadata\":{\"Labels\":{\"\":\"x\",\"SS\":\"y\"}}}");
  }
}
