package dev.regroup.server.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPatchTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void applies_every_operation_in_order() throws Exception {
    var patched =
        apply(
            "{'a':{'k':'v','x':1},'l':[1,2]}",
            "[{'op':'replace','path':'/a/k','value':'w'},{'op':'remove','path':'/a/x'},"
                + "{'op':'copy','from':'/a/k','path':'/a/c'},{'op':'move','from':'/a/c','path':'/d'},"
                + "{'op':'add','path':'/l/-','value':3},{'op':'test','path':'/l/2','value':3},"
                + "{'op':'add','path':'/a/p~1q','value':null}]");

    assertThat(patched).isEqualTo(read("{'a':{'k':'w','p/q':null},'l':[1,2,3],'d':'w'}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'op':'test','path':'/a','value':2}]",
        "[{'op':'test','path':'/a','value':1.0}]", // as Kubernetes' library compares: by its text
        "[{'op':'remove','path':'/nope'}]",
        "[{'op':'add','path':'/nope/x','value':1}]",
        "[{'op':'zap','path':'/a'}]",
        "[{'op':'replace','path':'/l/9','value':1}]"
      })
  void refuses_what_does_not_fit(String patch) {
    assertThatThrownBy(() -> apply("{'a':1,'l':[]}", patch))
        .isInstanceOf(JsonPatch.CannotApply.class);
  }

  @Test
  void takes_the_liberties_of_the_library_that_kubernetes_uses() throws Exception {
    var patched =
        apply(
            "{'a':{'k':'v'}}",
            "[{'op':'copy','from':'/a/nothing','path':'/a/copied'},"
                + "{'op':'add','path':'ignored/b','value':1},"
                + "{'op':'test','path':'/a/absent'}]");

    assertThat(patched).isEqualTo(read("{'a':{'k':'v','copied':null},'b':1}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'op':'add','path':'a','value':1}]",
        "[{'op':'add','path':'','value':{}}]",
        "[{'op':'remove','path':''}]",
        "[{'op':'replace','path':'','value':'text'}]",
        "[{'op':'copy','from':'/nothing/deeper','path':'/b'}]",
        "[{'op':'move','from':'/nothing','path':'/b'}]"
      })
  void but_not_others(String patch) {
    assertThatThrownBy(() -> apply("{'a':{}}", patch)).isInstanceOf(JsonPatch.CannotApply.class);
  }

  @Test
  void names_members_that_nobody_knows_and_keys_given_twice() throws Exception {
    var operations = (ArrayNode) read("[{'op':'test','path':'/a','odd':1}]");

    assertThat(JsonPatch.problems(operations, List.of("duplicate field \"[0].op\"")))
        .containsExactly(
            "json patch duplicate field \"[0].op\"", "json patch unknown field \"[0].odd\"");
  }

  private static JsonNode apply(String target, String patch) throws Exception {
    return JsonPatch.apply(read(target), (ArrayNode) read(patch));
  }

  private static JsonNode read(String text) throws Exception {
    return JSON.readTree(text.replace('\'', '"'));
  }
}
