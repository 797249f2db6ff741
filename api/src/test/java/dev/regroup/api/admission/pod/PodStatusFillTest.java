package dev.regroup.api.admission.pod;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodStatusFillTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'podIP':'10.0.0.1'} | {} | {'podIP':'10.0.0.1','podIPs':[{'ip':'10.0.0.1'}]}",
        "{'podIPs':[{'ip':'10.0.0.1'}]} | {} | {'podIPs':[{'ip':'10.0.0.1'}],'podIP':'10.0.0.1'}",
        "{'podIP':'10.0.0.2','podIPs':[{'ip':'10.0.0.1'}]} | {}"
            + " | {'podIP':'10.0.0.2','podIPs':[{'ip':'10.0.0.2'}]}",
        "{'phase':''} | {'qosClass':'Burstable'} | {'qosClass':'Burstable'}",
        "{} | {'observedGeneration':3} | {'observedGeneration':3}",
        "{'observedGeneration':4} | {'observedGeneration':3} | {'observedGeneration':4}",
        "{'conditions':[{'type':'A'}]} | {'conditions':[{'type':'A','observedGeneration':2}]}"
            + " | {'conditions':[{'type':'A','observedGeneration':2}]}"
      })
  void fills_in_what_is_not_said(String status, String old, String filled) throws IOException {
    var tree = tree(status);

    PodStatusFill.fill(tree, tree(old));

    assertThat(tree).isEqualTo(tree(filled));
  }

  private static ObjectNode tree(String text) throws IOException {
    return Wire.tree(text.replace('\'', '"').getBytes(UTF_8));
  }
}
