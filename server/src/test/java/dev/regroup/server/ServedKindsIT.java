package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.ResourceType;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kinds that come and go while the server runs. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class ServedKindsIT {
  private static final GroupVersionKind KIND =
      new GroupVersionKind("garden.example", "v1", "Tulip");
  private static final ResourceType TULIPS =
      ResourceType.named(KIND, "tulips").shortName("tu").trait(ResourceType.Trait.CUSTOM).build();
  private static final String PATH = "/apis/garden.example/v1/namespaces/default/tulips";
  private static final List<Definition> FIELDS =
      List.of(
          Definition.of(
              "example.garden.v1.Tulip",
              List.of(KIND),
              Wire.tree(
                  """
                  {"type": "object", "fields": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"ref": "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"},
                    "spec": {"ref": "example.garden.v1.TulipSpec"}}}
                  """)),
          Definition.of(
              "example.garden.v1.TulipSpec",
              List.of(),
              Wire.tree(
                  "{\"type\": \"object\", \"fields\": {\"colour\": {\"type\": \"string\"}}}")));

  @TempDir Path directory;
  private LocalApiServer server;
  private Api api;

  @BeforeEach
  void open() throws Exception {
    server =
        LocalApiServer.open(
            new ApiServer.Settings(
                TestServer.certified(directory),
                0,
                Gates.upstream(),
                InstantSource.system(),
                new Random(7)));
    api = new Api(server.inProcess(Identity.admin()));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void a_kind_that_is_added_is_written_read_and_watched_like_any_other() throws Exception {
    api.get(PATH).expect(404);

    server.kinds().add(TULIPS, FIELDS);

    try (var events = api.watch(PATH + "?watch=true")) {
      var made = api.post(PATH, tulip("red", "'smell': 'good'")).expect(201);
      assertThat(made.text("/spec/colour")).isEqualTo("red");
      assertThat(made.body().at("/spec/smell").isMissingNode()).isTrue();
      assertThat(made.response().headers().all("warning"))
          .containsExactly("299 - \"unknown field \\\"spec.smell\\\"\"");
      api.merge(PATH + "/t", "{'spec': {'colour': 'blue'}}").expect(200);
      assertThat(api.get(PATH).expect(200).names()).containsExactly("t");
      assertThat(events.next(2)).containsExactly("ADDED t", "MODIFIED t");
    }
  }

  @Test
  void its_documents_come_and_go_with_it() throws Exception {
    assertThat(openApiPaths()).doesNotContain("apis/garden.example/v1");

    server.kinds().add(TULIPS, FIELDS);

    assertThat(api.get("/apis/garden.example/v1").expect(200).text("/resources/0/name"))
        .isEqualTo("tulips");
    assertThat(openApiPaths()).contains("apis/garden.example/v1");
    assertThat(
            api.get("/openapi/v3/apis/garden.example/v1")
                .expect(200)
                .body()
                .at("/components/schemas/example.garden.v1.TulipSpec/properties/colour/type")
                .asText())
        .isEqualTo("string");
    server.kinds().remove(TULIPS);
    api.get("/apis/garden.example/v1").expect(404);
    assertThat(openApiPaths()).doesNotContain("apis/garden.example/v1");
  }

  @Test
  void watches_of_a_kind_that_is_removed_end_and_those_of_others_go_on() throws Exception {
    server.kinds().add(TULIPS, FIELDS);
    api.post(PATH, tulip("red", "")).expect(201);
    try (var tulips = api.watch(PATH + "?watch=true");
        var maps = api.watch("/api/v1/namespaces/default/configmaps?watch=true")) {
      assertThat(tulips.next()).isEqualTo("ADDED t");

      server.kinds().remove(TULIPS);

      assertThat(tulips.next()).isEqualTo("END ");
      api.post("/api/v1/namespaces/default/configmaps", "{'metadata': {'name': 'm'}}").expect(201);
      assertThat(maps.next()).isEqualTo("ADDED m");
    }
    api.get(PATH).expect(404);
    api.post(PATH, tulip("red", "")).expect(404);
  }

  @Test
  void a_kind_that_comes_again_finds_its_objects() throws Exception {
    server.kinds().add(TULIPS, FIELDS);
    api.post(PATH, tulip("red", "")).expect(201);
    server.kinds().remove(TULIPS);

    server.kinds().add(TULIPS, FIELDS);

    assertThat(api.get(PATH + "/t").expect(200).text("/spec/colour")).isEqualTo("red");
  }

  @Test
  void what_is_there_is_neither_added_again_nor_removed_by_others() {
    server.kinds().add(TULIPS, FIELDS);
    var pods = server.kinds().now().core("pods");

    assertThatThrownBy(() -> server.kinds().add(TULIPS, FIELDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tulips.garden.example is served already");
    assertThatThrownBy(() -> server.kinds().remove(pods))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("pods was not added");
  }

  private static String tulip(String colour, String more) {
    var spec = "'colour': '" + colour + "'" + (more.isEmpty() ? "" : ", " + more);
    return "{'apiVersion': 'garden.example/v1', 'kind': 'Tulip', 'metadata': {'name': 't'},"
        + " 'spec': {"
        + spec
        + "}}";
  }

  private List<String> openApiPaths() throws Exception {
    return api.get("/openapi/v3")
        .expect(200)
        .body()
        .path("paths")
        .propertyStream()
        .map(java.util.Map.Entry::getKey)
        .toList();
  }
}
