package dev.regroup.server.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class SwaggerFormTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KIND = "'x-kubernetes-group-version-kind':[{'kind':'A'}]";

  @Test
  void a_kind_with_fields_that_nobody_names_is_just_an_object() throws Exception {
    var shown =
        definition(
            "{'type':'object','description':'d','x-kubernetes-preserve-unknown-fields':true,"
                + "'properties':{'a':{'type':'string'}},%s}".formatted(KIND));

    assertThat(shown).isEqualTo(json("{'type':'object',%s}".formatted(KIND)));
  }

  @Test
  void a_field_with_fields_that_nobody_names_has_neither_type_nor_fields() throws Exception {
    var shown =
        definition(
            "{'type':'object','properties':{'spec':{'type':'object','description':'d',"
                + "'x-kubernetes-preserve-unknown-fields':true,"
                + "'properties':{'a':{'type':'string'}}}}}");

    assertThat(shown.at("/properties/spec"))
        .isEqualTo(json("{'description':'d','x-kubernetes-preserve-unknown-fields':true}"));
  }

  @Test
  void what_may_be_null_has_no_type_and_is_not_required() throws Exception {
    var shown =
        definition(
            "{'type':'object','required':['a','b'],'properties':{"
                + "'a':{'type':'array','nullable':true,'items':{'type':'string'}},"
                + "'b':{'type':'string'}}}");

    assertThat(shown)
        .isEqualTo(
            json("{'type':'object','required':['b'],'properties':{'a':{},'b':{'type':'string'}}}"));
  }

  private static JsonNode definition(String schema) throws Exception {
    var document = JSON.createObjectNode();
    document.putObject("components").putObject("schemas").set("a", json(schema));
    return SwaggerForm.of(List.of(document)).at("/definitions/a");
  }

  private static ObjectNode json(String text) throws Exception {
    return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
  }
}
