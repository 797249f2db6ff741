package dev.regroup.server.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.api.Gates;
import dev.regroup.api.schema.Schema;
import dev.regroup.server.discovery.OpenApi.OldForm;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.JobSets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenApiTest {
  private static final Schema SCHEMA = Schema.of(Gates.product(), Gates.product().decoding());
  private final OpenApi openApi = new OpenApi(Catalog.standard(JobSets.BUILT_IN), SCHEMA);

  @Test
  void every_description_is_of_something_that_is_there() {
    var unknown = new ArrayList<String>();
    for (var name : Descriptions.read().texts().keySet()) {
      int dot = name.lastIndexOf('.');
      boolean field =
          SCHEMA.has(name.substring(0, dot))
              && SCHEMA
                  .definition(name.substring(0, dot))
                  .fields()
                  .containsKey(name.substring(dot + 1));
      if (!field && !SCHEMA.has(name)) {
        unknown.add(name);
      }
    }

    assertThat(unknown).isEmpty();
  }

  @Test
  void every_field_can_be_explained() throws Exception {
    for (var path : openApi.index().path("paths").properties()) {
      var schemas = read(openApi.document(path.getKey()).orElseThrow()).at("/components/schemas");
      for (var type : schemas.properties()) {
        type.getValue()
            .path("properties")
            .properties()
            .forEach(field ->
                assertThat(field.getValue())
                    .as("kubectl takes an empty schema of %s.%s for none", type.getKey(), field)
                    .isNotEmpty());
      }
    }
  }

  @Test
  void the_older_form_has_all_kinds_in_one_document() throws Exception {
    var document = read(openApi.old(OldForm.JSON));

    assertThat(document.path("swagger").asText()).isEqualTo("2.0");
    assertThat(document.at("/definitions/io.k8s.api.core.v1.Pod/properties/spec/$ref").asText())
        .isEqualTo("#/definitions/io.k8s.api.core.v1.PodSpec");
    assertThat(document.path("definitions").has("io.x-k8s.jobset.v1alpha2.JobSet")).isTrue();
    var patch = document.path("paths").path("/api/v1/namespaces/{namespace}/pods/{name}");
    assertThat(patch.at("/patch/parameters/2/name").asText()).isEqualTo("fieldValidation");
    assertThat(patch.at("/patch/parameters/2/type").asText()).isEqualTo("string");
    for (var reference : document.findValuesAsText("$ref")) {
      if (reference.isEmpty()) {
        continue; // a field of that name, of the schemas in custom resource definitions
      }
      var name = reference.substring("#/definitions/".length());
      assertThat(document.path("definitions").has(name)).as(reference).isTrue();
    }
  }

  @Test
  void the_older_form_is_protobuf_for_who_asks_for_it_first() {
    assertThat(OldForm.accepted(List.of(SwaggerProtobuf.ASKED))).contains(OldForm.PROTOBUF);
    assertThat(OldForm.accepted(List.of("application/json, */*"))).contains(OldForm.JSON);
    assertThat(OldForm.accepted(List.of())).contains(OldForm.JSON);
    assertThat(OldForm.accepted(List.of("text/html"))).isEqualTo(Optional.empty());
    assertThat(openApi.old(OldForm.PROTOBUF)).startsWith(0x0A, 3, '2', '.', '0');
  }

  private static JsonNode read(byte[] document) throws Exception {
    return new ObjectMapper().readTree(document);
  }
}
