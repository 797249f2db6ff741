package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.TestServer.Carrier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bodies and answers in the format Go programs prefer. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ProtobufIT {

  private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";

  @TempDir static Path directory;
  private static TestServer server;
  private static Api admin;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.start(directory);
    admin = server.admin(Carrier.IN_PROCESS);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void creates_and_answers_in_the_format_of_the_client() throws Exception {
    var response = send("POST", MAPS, configMap("made"), PROTOBUF);

    assertThat(response.status()).isEqualTo(201);
    assertThat(contentType(response)).isEqualTo(PROTOBUF);
    assertThat(read(response, "ConfigMap").at("/data/k").asText()).isEqualTo("v");
    assertThat(admin.get(MAPS + "/made").expect(200).text("/data/k")).isEqualTo("v");
  }

  @Test
  void lists_what_it_lists_as_json() throws Exception {
    admin.post(MAPS, "{'metadata':{'name':'l1'},'data':{'k':'1'}}").expect(201);
    admin.post(MAPS, "{'metadata':{'name':'l2'},'data':{'k':'2'}}").expect(201);

    var response = send("GET", MAPS, null, PROTOBUF + ",application/json");

    var list = read(response, "ConfigMapList");
    var json = admin.get(MAPS).expect(200);
    assertThat(list.path("items"))
        .isEqualTo(json.body().path("items"))
        .hasSize(json.names().size());
    assertThat(list.at("/metadata/resourceVersion").asText()).isEqualTo(json.version());
  }

  @Test
  void watches_with_the_length_in_front_of_each_event() throws Exception {
    var request = new Request("GET", MAPS, "watch=1", Headers.of("accept", PROTOBUF), new byte[0]);
    try (var stream = admin.transport().open(request)) {
      admin.post(MAPS, "{'metadata':{'name':'late'}}").expect(201);

      assertThat(stream.headers().first("content-type")).contains(PROTOBUF + ";stream=watch");
      var frame = stream.next();
      while (frame != null && !text(frame).contains("late")) {
        frame = stream.next();
      }
      assertThat(frame).isNotNull();
      assertThat(ByteBuffer.wrap(frame).getInt()).isEqualTo(frame.length - 4);
      assertThat(text(frame)).contains("ADDED", "k8s\0", "ConfigMap");
    }
  }

  @Test
  void encodes_a_change_once_for_all_who_watch() throws Exception {
    var request = new Request("GET", MAPS, "watch=1", Headers.of("accept", PROTOBUF), new byte[0]);
    admin.post(MAPS, "{'metadata':{'name':'watched'}}").expect(201);
    try (var one = admin.transport().open(request);
        var other = admin.transport().open(request)) {
      byte[] first = one.next();

      assertThat(other.next()).isSameAs(first);
    }
  }

  @Test
  void tells_refusals_in_the_same_format() throws Exception {
    var response = send("GET", MAPS + "/none", null, PROTOBUF);

    assertThat(response.status()).isEqualTo(404);
    assertThat(contentType(response)).isEqualTo(PROTOBUF);
    var status = read(response, "Status");
    assertThat(status.path("reason").asText()).isEqualTo("NotFound");
    assertThat(status.at("/details/name").asText()).isEqualTo("none");
  }

  @Test
  void deletes_as_the_options_say() throws Exception {
    admin.post(MAPS, "{'metadata':{'name':'doomed'}}").expect(201);
    var options =
        Wire.tree(
            """
            {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "other"}}
            """);

    assertThat(send("DELETE", MAPS + "/doomed", options, PROTOBUF).status()).isEqualTo(409);
    var deleted = send("DELETE", MAPS + "/doomed", options.without("preconditions"), PROTOBUF);
    assertThat(read(deleted, "Status").path("status").asText()).isEqualTo("Success");
  }

  @Test
  void custom_resources_come_as_json_or_not_at_all() throws Exception {
    assertThat(send("GET", JOB_SETS, null, PROTOBUF).status()).isEqualTo(406);
    var either = send("GET", JOB_SETS, null, PROTOBUF + ",application/json");
    assertThat(either.status()).isEqualTo(200);
    assertThat(contentType(either)).isEqualTo("application/json");
    var body = Request.of("POST", JOB_SETS, PROTOBUF, ProtobufCodec.write(configMap("a")));
    assertThat(admin.transport().send(body).status()).isEqualTo(415);
  }

  @Test
  void metadata_of_custom_resources_comes_as_protobuf() throws Exception {
    var accept = PROTOBUF + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

    var response = send("GET", JOB_SETS, null, accept);

    assertThat(response.status()).isEqualTo(200);
    assertThat(read(response, "PartialObjectMetadataList").path("kind").asText())
        .isEqualTo("PartialObjectMetadataList");
  }

  @Test
  void a_table_is_never_protobuf() throws Exception {
    var table = ";as=Table;g=meta.k8s.io;v=v1";

    assertThat(send("GET", MAPS, null, PROTOBUF + table).status()).isEqualTo(406);
    var other = send("GET", MAPS, null, PROTOBUF + table + ",application/json" + table);
    assertThat(contentType(other)).isEqualTo("application/json");
  }

  @Test
  void the_version_is_json_for_everybody() throws Exception {
    assertThat(contentType(send("GET", "/version", null, PROTOBUF))).isEqualTo("application/json");
    assertThat(contentType(send("GET", "/api/v1", null, PROTOBUF))).isEqualTo(PROTOBUF);
  }

  @Test
  void says_what_is_wrong_with_a_body() throws Exception {
    var broken = Request.of("POST", MAPS, PROTOBUF, new byte[] {'k', '8', 's', 0, 0x12, 9});

    var got = admin.send(broken).expect(400);

    assertThat(got.text("/message"))
        .startsWith("the object provided is unrecognized (must be of type ConfigMap): ")
        .contains("unexpected EOF");
  }

  @Test
  void cbor_is_refused() throws Exception {
    var body = Request.of("POST", MAPS, "application/cbor", new byte[] {(byte) 0xA0});

    assertThat(admin.transport().send(body).status()).isEqualTo(415);
    assertThat(send("GET", MAPS, null, "application/cbor").status()).isEqualTo(406);
  }

  private Response send(
      String method, String path, @org.jspecify.annotations.Nullable ObjectNode body, String accept)
      throws Exception {
    var request =
        body == null
            ? new Request(method, path, "", Headers.NONE, new byte[0])
            : Request.of(method, path, PROTOBUF, ProtobufCodec.write(body));
    return admin.transport().send(request.withHeader("accept", accept));
  }

  private static ObjectNode read(Response response, String kind) throws Exception {
    return ProtobufCodec.read(response.body(), new GroupVersionKind("", "v1", kind)).tree();
  }

  private static String contentType(Response response) {
    return response.headers().first("content-type").orElse("");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static ObjectNode configMap(String name) {
    return Wire.tree(
        """
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "%s"}, "data": {"k": "v"}}
        """
            .formatted(name));
  }
}
