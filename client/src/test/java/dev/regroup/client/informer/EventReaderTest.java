package dev.regroup.client.informer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class EventReaderTest {

  @Test
  void an_event_is_read_without_the_managers_of_the_object_and_with_everything_else()
      throws Exception {
    var event =
        """
        {"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a",
         "managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}],"uid":"u"},
         "spec":{"number":1,"large":12345678901,"text":null,"managedFields":["kept"],
          "template":{"metadata":{"managedFields":["kept"]}}}}}
        """;
    var expected =
        new JsonMapper()
            .readTree(
                event.replace(
                    "\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:spec\":{}}}],", ""));

    var read = EventReader.read(event.getBytes(UTF_8));

    assertThat(read).isEqualTo(expected);
    assertThat(read.at("/object/metadata/uid").asText()).isEqualTo("u");
  }

  @Test
  void managers_at_the_end_or_alone_leave_a_whole_object() throws Exception {
    assertThat(read("{\"object\":{\"metadata\":{\"name\":\"a\",\"managedFields\":[]}}}"))
        .isEqualTo("{\"object\":{\"metadata\":{\"name\":\"a\"}}}");
    assertThat(read("{\"object\":{\"metadata\":{\"managedFields\":null}}}"))
        .isEqualTo("{\"object\":{\"metadata\":{}}}");
  }

  private static String read(String event) throws IOException {
    return EventReader.read(event.getBytes(UTF_8)).toString();
  }
}
