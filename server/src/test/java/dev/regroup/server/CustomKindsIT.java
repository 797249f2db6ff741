package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.server.TestServer.Carrier;
import dev.regroup.server.resource.JobSets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Definitions of custom kinds over HTTPS: made, used, changed, kept over a restart, deleted. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CustomKindsIT {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String DEFINITION = DEFINITIONS + "/tulips.garden.example";
  private static final String TULIPS = "/apis/garden.example/v1/namespaces/default/tulips";
  private static final String NEWER = "/apis/garden.example/v2/namespaces/default/tulips";
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;
  private TestServer server;
  private Api api;

  @BeforeEach
  void start() throws Exception {
    server = TestServer.start(directory);
    api = server.admin(Carrier.HTTPS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void a_definition_is_served_once_it_says_so() throws Exception {
    var made = api.post(DEFINITIONS, definition("'colour':{'type':'string'}")).expect(201);
    assertThat(made.body().at("/status/conditions").isMissingNode()).isTrue();

    awaitEstablished();

    api.post(TULIPS, tulip("'colour':'red'")).expect(201);
    assertThat(api.get(TULIPS).expect(200).text("/kind")).isEqualTo("TulipList");
    assertThat(api.get("/apis/garden.example").expect(200).text("/preferredVersion/version"))
        .isEqualTo("v1");
    assertThat(
            api.get("/openapi/v3/apis/garden.example/v1")
                .expect(200)
                .body()
                .at(
                    "/components/schemas/example.garden.v1.Tulip/properties/spec/properties/colour/type")
                .asText())
        .isEqualTo("string");
    assertThat(api.get("/apis/garden.example/v1").text("/resources/0/storageVersionHash"))
        .isEqualTo("wBOLONq2fxk=");
  }

  @Test
  void objects_are_there_after_a_restart_and_read_by_the_schema_of_now() throws Exception {
    api.post(DEFINITIONS, definition("'colour':{'type':'string'},'old':{'type':'string'}"))
        .expect(201);
    awaitEstablished();
    api.post(TULIPS, tulip("'colour':'red','old':'x'")).expect(201);

    server.close();
    start();
    assertThat(api.get(TULIPS + "/t").expect(200).text("/spec/old")).isEqualTo("x");

    api.merge(
            DEFINITION,
            "{'spec':{'versions':"
                + versions("'colour':{'type':'string'},'size':{'type':'integer','default':7}")
                + "}}")
        .expect(200);
    await(() -> api.get(TULIPS + "/t").text("/spec/size").equals("7"));
    assertThat(api.get(TULIPS + "/t").body().at("/spec/old").isMissingNode()).isTrue();
  }

  @Test
  void versions_share_their_objects() throws Exception {
    var both =
        "[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':%1$s}},"
            + "{'name':'v2','served':true,'storage':false,'schema':{'openAPIV3Schema':%1$s}}]";
    var schema =
        "{'type':'object','properties':{'spec':{'type':'object','properties':{'colour':{'type':'string'}}}}}";
    api.post(
            DEFINITIONS,
            definition("")
                .replaceFirst("'versions':.*", "'versions':" + both.formatted(schema) + "}}"))
        .expect(201);
    awaitEstablished();

    try (var events = api.watch(NEWER + "?watch=true")) {
      api.post(TULIPS, tulip("'colour':'red'")).expect(201);

      var seen = events.nextEvent();
      assertThat(seen.at("/object/apiVersion").asText()).isEqualTo("garden.example/v2");
    }
    assertThat(api.get(NEWER + "/t").expect(200).text("/apiVersion"))
        .isEqualTo("garden.example/v2");
    api.merge(NEWER + "/t", "{'spec':{'colour':'blue'}}").expect(200);
    assertThat(api.get(TULIPS + "/t").expect(200).text("/spec/colour")).isEqualTo("blue");
    assertThat(api.get("/apis/garden.example").text("/preferredVersion/version")).isEqualTo("v2");
  }

  @Test
  void a_definition_goes_after_its_objects() throws Exception {
    api.post(DEFINITIONS, definition("'colour':{'type':'string'}")).expect(201);
    awaitEstablished();
    api.post(
            TULIPS,
            tulip("'colour':'red'")
                .replace("'name':'t'", "'name':'t','finalizers':['a.example/keep']"))
        .expect(201);

    var going = api.delete(DEFINITION).expect(200);
    assertThat(going.text("/metadata/finalizers/0"))
        .isEqualTo("customresourcecleanup.apiextensions.k8s.io");
    await(() -> api.get(TULIPS + "/t").body().at("/metadata").has("deletionTimestamp"));
    assertThat(
            api.post(TULIPS, tulip("'colour':'red'").replace("'t'", "'u'"))
                .expect(403)
                .text("/message"))
        .isEqualTo(
            "tulips.garden.example \"u\" is forbidden: create not allowed while custom resource"
                + " definition is terminating");
    api.get(DEFINITION).expect(200);

    api.merge(TULIPS + "/t", "{'metadata':{'finalizers':null}}").expect(200);
    await(() -> api.get(DEFINITION).status() == 404);
    await(() -> api.get(TULIPS).status() == 404);
  }

  @Test
  void a_name_that_is_taken_is_not_given_twice() throws Exception {
    api.post(DEFINITIONS, definition("").replace("'singular'", "'shortNames':['tu'],'singular'"))
        .expect(201);
    awaitEstablished();
    api.post(
            DEFINITIONS,
            definition("")
                .replace("tulips", "tuples")
                .replace("'tulip'", "'tuple'")
                .replace("'Tulip'", "'Tuple'")
                .replace("'singular'", "'shortNames':['tu'],'singular'"))
        .expect(201);
    var other = DEFINITIONS + "/tuples.garden.example";

    await(() -> api.get(other).body().at("/status/conditions/0/status").asText().equals("False"));
    assertThat(api.get(other).text("/status/conditions/0/reason")).isEqualTo("ShortNamesConflict");
    assertThat(api.get(other).text("/status/conditions/0/message"))
        .isEqualTo("\"tu\" is already in use");
    api.get("/apis/garden.example/v1/tuples").expect(404);

    api.delete(DEFINITION).expect(200);
    await(() -> api.get("/apis/garden.example/v1/tuples").status() == 200);
  }

  @Test
  void scale_reads_and_writes_the_replicas() throws Exception {
    var subresources =
        "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.n','statusReplicasPath':'.status.n'}},'schema'";
    api.post(
            DEFINITIONS,
            definition("'n':{'type':'integer','maximum':5}").replace("'schema'", subresources))
        .expect(201);
    awaitEstablished();
    api.post(TULIPS, tulip("'n':3")).expect(201);

    assertThat(api.get(TULIPS + "/t/scale").expect(200).text("/spec/replicas")).isEqualTo("3");
    api.merge(TULIPS + "/t/scale", "{'spec':{'replicas':4}}").expect(200);

    assertThat(api.get(TULIPS + "/t").text("/spec/n")).isEqualTo("4");
    assertThat(api.get(TULIPS + "/t").text("/metadata/generation")).isEqualTo("2");
    api.merge(TULIPS + "/t/scale", "{'spec':{'replicas':9}}").expect(422);
  }

  @Test
  void fields_nobody_declared_can_be_applied_where_they_are_kept() throws Exception {
    api.post(
            DEFINITIONS,
            definition("")
                .replace(
                    "'properties':{'spec'",
                    "'x-kubernetes-preserve-unknown-fields':true,'properties':{'other'"))
        .expect(201);
    awaitEstablished();

    var applied =
        api.send(
                "PATCH",
                TULIPS + "/t?fieldManager=m",
                "application/apply-patch+yaml",
                tulip("'any':{'thing':[1]}"))
            .expect(201);

    assertThat(applied.text("/spec/any/thing/0")).isEqualTo("1");
    assertThat(
            applied.body().at("/metadata/managedFields/0/fieldsV1/f:spec/f:any/f:thing").isObject())
        .isTrue();
  }

  @Test
  void a_change_of_a_field_nobody_declared_is_a_conflict_for_its_applier() throws Exception {
    api.post(
            DEFINITIONS,
            definition("")
                .replace(
                    "'spec':{'type':'object'",
                    "'spec':{'type':'object','x-kubernetes-preserve-unknown-fields':true"))
        .expect(201);
    awaitEstablished();
    apply("'replicas':1").expect(201);

    api.merge(TULIPS + "/t", "{'spec':{'replicas':5}}").expect(200);

    assertThat(apply("'replicas':1").expect(409).text("/details/causes/0/field"))
        .isEqualTo(".spec.replicas");
  }

  @Test
  void a_put_of_what_is_not_there_says_that_first() throws Exception {
    api.post(DEFINITIONS, definition("'colour':{'type':'string'}")).expect(201);
    awaitEstablished();

    api.put(TULIPS + "/t", tulip("'colour':'red'")).expect(404);
    api.post(TULIPS, tulip("'colour':'red'")).expect(201);
    api.put(TULIPS + "/t", tulip("'colour':'blue'")).expect(422);
  }

  private Api.Got apply(String spec) throws Exception {
    return api.send(
        "PATCH", TULIPS + "/t?fieldManager=m", "application/apply-patch+yaml", tulip(spec));
  }

  @Test
  void the_definition_of_a_built_in_kind_is_kept_and_changes_nothing() throws Exception {
    var path = DEFINITIONS + "/jobsets.jobset.x-k8s.io";

    api.merge(path, "{'metadata':{'labels':{'a':'b'}}}").expect(200);
    assertThat(api.delete(path).expect(403).text("/message"))
        .isEqualTo(
            "customresourcedefinitions.apiextensions.k8s.io \"jobsets.jobset.x-k8s.io\" is"
                + " forbidden: the kind is built in (start with --jobset=off to bring your own)");

    api.get("/apis/jobset.x-k8s.io/v1alpha2/jobsets").expect(200);
  }

  @Test
  void without_the_built_in_one_a_definition_brings_job_sets() throws Exception {
    server.close();
    var left =
        ApiServer.start(
            new ApiServer.Settings(
                    TestServer.certified(directory.resolve("other")),
                    0,
                    Gates.upstream(),
                    InstantSource.system(),
                    new Random(7))
                .with(JobSets.LEFT_OUT));
    try {
      api = TestServer.adminOf(left.address(), left.admin());
      api.get("/apis/jobset.x-k8s.io/v1alpha2/jobsets").expect(404);

      api.post(
              DEFINITIONS,
              definition("'suspend':{'type':'boolean','default':true}")
                  .replace("garden.example", "jobset.x-k8s.io")
                  .replace("tulips", "jobsets")
                  .replace("'tulip'", "'jobset'")
                  .replace("'Tulip'", "'JobSet'")
                  .replace("'v1'", "'v1alpha2'"))
          .expect(201);

      var jobSets = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
      await(() -> api.get(jobSets).status() == 200);
      var made =
          api.post(
                  jobSets,
                  "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'j'},'spec':{}}")
              .expect(201);
      assertThat(made.text("/spec/suspend")).isEqualTo("true");
    } finally {
      left.close();
    }
  }

  private void awaitEstablished() throws Exception {
    await(
        () -> api.get(DEFINITION).body().at("/status/conditions/1/status").asText().equals("True"));
  }

  private interface Fact {
    boolean holds() throws Exception;
  }

  /** Asks until it is so; every question is a round trip. */
  private static void await(Fact fact) throws Exception {
    long end = System.nanoTime() + SOON.toNanos();
    while (!fact.holds()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private static String definition(String fields) {
    return "{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',"
        + "'metadata':{'name':'tulips.garden.example'},'spec':{'group':'garden.example',"
        + "'scope':'Namespaced','names':{'plural':'tulips','singular':'tulip','kind':'Tulip'},"
        + "'versions':"
        + versions(fields)
        + "}}";
  }

  private static String versions(String fields) {
    return "[{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':"
        + "{'type':'object','properties':{'spec':{'type':'object','properties':{"
        + fields
        + "}},'status':{'type':'object','properties':{'n':{'type':'integer'}}}}}}}]";
  }

  private static String tulip(String fields) {
    return "{'apiVersion':'garden.example/v1','kind':'Tulip','metadata':{'name':'t'},'spec':{"
        + fields
        + "}}";
  }
}
