package dev.regroup.server.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
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
                + "{'op':'add','path':'/l/-','value':3},{'op':'test','path':'/l/2','value':3.0},"
                + "{'op':'add','path':'/a/p~1q','value':null}]");

    assertThat(patched).isEqualTo(read("{'a':{'k':'w','p/q':null},'l':[1,2,3],'d':'w'}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'op':'test','path':'/a','value':2}]",
        "[{'op':'remove','path':'/nope'}]",
        "[{'op':'add','path':'/nope/x','value':1}]",
        "[{'op':'zap','path':'/a'}]",
        "[{'op':'replace','path':'/l/9','value':1}]"
      })
  void refuses_what_does_not_fit(String patch) {
    assertThatThrownBy(() -> apply("{'a':1,'l':[]}", patch))
        .isInstanceOf(JsonPatch.CannotApply.class);
  }

  private static JsonNode apply(String target, String patch) throws Exception {
    return JsonPatch.apply(read(target), (ArrayNode) read(patch));
  }

  private static JsonNode read(String text) throws Exception {
    return JSON.readTree(text.replace('\'', '"'));
  }
}
