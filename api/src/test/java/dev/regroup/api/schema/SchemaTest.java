package dev.regroup.api.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import org.junit.jupiter.api.Test;

class SchemaTest {

  private final Schema schema = Schema.of(Gates.upstream(), Decoding.STRICT);

  @Test
  void knows_list_keys_and_patch_keys() {
    var ports = schema.definition("io.k8s.api.core.v1.Container").field("ports").orElseThrow();

    assertThat(ports.listType()).isEqualTo(Field.ListType.MAP);
    assertThat(ports.listMapKeys()).containsExactly("containerPort", "protocol");
    assertThat(ports.patchMergeKey()).isEqualTo("containerPort");
    assertThat(ports.mergesOnPatch()).isTrue();
  }

  @Test
  void finds_every_kind_it_lists_and_every_definition_it_refers_to() {
    for (String name : schema.names()) {
      var definition = schema.definition(name);
      definition.kinds().forEach(kind -> assertThat(schema.kind(kind)).contains(definition));
      for (Field field : definition.fields().values()) {
        String ref = field.items() == null ? field.ref() : field.items().ref();
        assertThat(ref == null || schema.has(ref)).as(name + " refers to " + ref).isTrue();
      }
    }
  }

  @Test
  void act_10_fields_of_a_closed_gate_are_unknown() {
    String rule = "io.k8s.api.core.v1.ContainerRestartRule";

    assertThat(schema.definition(rule).field("keep")).isEmpty();
    assertThat(Schema.of(Gates.product(), Decoding.LENIENT).definition(rule).field("keep"))
        .isPresent();
  }

  @Test
  void quantities_have_one_stored_form() {
    assertThat(canonical("1000m")).isEqualTo("1");
    assertThat(canonical("0.5")).isEqualTo("500m");
    assertThat(canonical("1024Mi")).isEqualTo("1Gi");
    assertThat(canonical("1.5Gi")).isEqualTo("1536Mi");
    assertThat(canonical("1000")).isEqualTo("1k");
    assertThat(canonical("512Ki")).isEqualTo("512Ki");
    assertThat(canonical("2e3")).isEqualTo("2e3");
  }

  private static String canonical(String text) {
    return Quantity.of(text).orElseThrow().toString();
  }
}
