package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Transport;
import dev.regroup.server.TestServer.Carrier;
import dev.regroup.server.access.Identity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The behaviour of the server, asked in-process and over HTTPS: the answers are the same. */
@ParameterizedClass
@EnumSource(Carrier.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ApiServerIT {
  private static final AtomicInteger NAMESPACES = new AtomicInteger();
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

  @TempDir static Path directory = Path.of("");
  private static @Nullable TestServer server;

  @Parameter Carrier carrier = Carrier.IN_PROCESS;
  private Api api = new Api(new NoTransport());
  private String maps = "";
  private String pods = "";

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.start(directory);
  }

  @AfterAll
  static void stop() {
    running().close();
  }

  private static TestServer running() {
    return java.util.Objects.requireNonNull(server);
  }

  @BeforeEach
  void makeNamespace() throws Exception {
    api = running().admin(carrier);
    var namespace = "t" + NAMESPACES.incrementAndGet();
    api.post("/api/v1/namespaces", "{'metadata':{'name':'" + namespace + "'}}").expect(201);
    var base = "/api/v1/namespaces/" + namespace;
    api.post(base + "/serviceaccounts", "{'metadata':{'name':'default'}}").expect(201);
    maps = base + "/configmaps";
    pods = base + "/pods";
  }

  @Test
  void stores_an_object_and_gives_it_back() throws Exception {
    var created = api.post(maps, "{'metadata':{'name':'a'},'data':{'k':'1'}}").expect(201);

    var read = api.get(maps + "/a").expect(200);

    assertThat(read.body()).isEqualTo(created.body());
    assertThat(read.text("/kind")).isEqualTo("ConfigMap");
    assertThat(read.text("/metadata/uid")).hasSize(36);
    assertThat(Long.parseLong(read.version())).isPositive();
  }

  @Test
  void a_node_port_is_given_once_kept_by_changes_and_taken_back_with_the_type() throws Exception {
    var services = maps.replace("configmaps", "services");
    String spec = "'spec':{'type':'NodePort','ports':[{'port':80}]}";
    int given =
        Integer.parseInt(
            api.post(services, "{'metadata':{'name':'a'}," + spec + "}")
                .expect(201)
                .text("/spec/ports/0/nodePort"));
    assertThat(given).isBetween(30_000, 32_767);

    var refused =
        api.post(
                services,
                "{'metadata':{'name':'b'},'spec':{'type':'NodePort','ports':[{'port':80,'nodePort':%d}]}}"
                    .formatted(given))
            .expect(422);
    assertThat(refused.text("/message"))
        .endsWith(
            "spec.ports[0].nodePort: Invalid value: %d: provided port is already allocated"
                .formatted(given));
    assertThat(
            api.post(
                    services,
                    "{'metadata':{'name':'b'},'spec':{'type':'NodePort','ports':[{'port':80,'nodePort':80}]}}")
                .expect(422)
                .text("/message"))
        .endsWith(
            "provided port is not in the valid range. The range of valid ports is 30000-32767");

    assertThat(
            api.merge(services + "/a", "{'spec':{'ports':[{'port':80,'targetPort':8080}]}}")
                .expect(200)
                .text("/spec/ports/0/nodePort"))
        .isEqualTo(String.valueOf(given));
    assertThat(
            api.merge(services + "/a", "{'spec':{'type':'ClusterIP'}}")
                .expect(200)
                .text("/spec/ports/0/nodePort"))
        .isEmpty();
  }

  @Test
  void refuses_an_update_of_an_older_version() throws Exception {
    var first = api.post(maps, "{'metadata':{'name':'a'}}").expect(201);
    var body = "{'metadata':{'name':'a','resourceVersion':'%s'},'data':{'k':'%s'}}";
    api.put(maps + "/a", body.formatted(first.version(), "1")).expect(200);

    var late = api.put(maps + "/a", body.formatted(first.version(), "2")).expect(409);

    assertThat(late.text("/reason")).isEqualTo("Conflict");
    assertThat(late.text("/message"))
        .isEqualTo(
            "Operation cannot be fulfilled on configmaps \"a\": the object has been modified;"
                + " please apply your changes to the latest version and try again");
    assertThat(api.get(maps + "/a").text("/data/k")).isEqualTo("1");
  }

  @Test
  void writes_nothing_when_an_update_changes_nothing() throws Exception {
    var first = api.post(maps, "{'metadata':{'name':'a'},'data':{'k':'1'}}").expect(201);

    var same = api.merge(maps + "/a", "{'data':{'k':'1'}}").expect(200);

    assertThat(same.version()).isEqualTo(first.version());
  }

  @Test
  void keeps_both_of_two_patches_that_meet() throws Exception {
    api.post(maps, "{'metadata':{'name':'a'}}").expect(201);
    var others = new java.util.ArrayList<Thread>();
    for (int i = 0; i < 20; i++) {
      var patch = "{'data':{'k" + i + "':'x'}}";
      others.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  api.merge(maps + "/a", patch).expect(200);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    for (var other : others) {
      other.join();
    }

    assertThat(api.get(maps + "/a").body().path("data")).hasSize(20);
  }

  @Test
  void lists_what_labels_and_fields_select() throws Exception {
    api.post(maps, "{'metadata':{'name':'a','labels':{'app':'x'}}}").expect(201);
    api.post(maps, "{'metadata':{'name':'b','labels':{'app':'y'}}}").expect(201);
    api.post(maps, "{'metadata':{'name':'c'}}").expect(201);

    assertThat(api.get(maps).names()).containsExactly("a", "b", "c");
    assertThat(api.get(maps + "?labelSelector=app%20in%20(x,z)").names()).containsExactly("a");
    assertThat(api.get(maps + "?fieldSelector=metadata.name!%3Db").names())
        .containsExactly("a", "c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abc|invalid character 'i' looking for beginning of value",
        "a!c|illegal base64 data at input byte 1",
        "abcda|illegal base64 data at input byte 4",
        "e30|server does not recognize this encoded version",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ|incorrect encoded start resourceVersion (version"
            + " meta.k8s.io/v1)",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0|encoded start key empty (version meta.k8s.io/v1)"
      })
  void a_page_that_nobody_named_is_refused(String token, String problem) throws Exception {
    var refused = api.get(maps + "?limit=2&continue=" + token).expect(400);

    assertThat(refused.text("/message").strip())
        .isEqualTo("invalid continue token: continue key is not valid: " + problem);
  }

  @Test
  void indents_for_who_asks_for_it() throws Exception {
    api.post(maps, "{'metadata':{'name':'a'},'data':{'k':'{\\\\[,:'}}").expect(201);

    var plain = api.get(maps + "/a").response().body();
    var pretty = new String(api.get(maps + "/a?pretty=true").response().body(), UTF_8);

    assertThat(new String(plain, UTF_8)).doesNotContain("\n");
    assertThat(pretty)
        .startsWith(
            "{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    ")
        .endsWith("\"data\": {\n    \"k\": \"{\\\\[,:\"\n  }\n}");
    assertThat(Wire.tree(pretty)).isEqualTo(Wire.tree(plain));
  }

  @Test
  void pages_through_a_list_as_it_was() throws Exception {
    for (var name : List.of("a", "b", "c")) {
      api.post(maps, "{'metadata':{'name':'" + name + "'}}").expect(201);
    }
    var first = api.get(maps + "?limit=2").expect(200);
    api.delete(maps + "/c").expect(200);
    api.post(maps, "{'metadata':{'name':'d'}}").expect(201);

    var second =
        api.get(maps + "?limit=2&continue=" + first.text("/metadata/continue")).expect(200);

    assertThat(first.names()).containsExactly("a", "b");
    assertThat(first.body().at("/metadata/remainingItemCount").asInt()).isEqualTo(1);
    assertThat(second.names()).containsExactly("c");
    assertThat(second.body().at("/metadata/continue").isMissingNode()).isTrue();
  }

  @Test
  void shows_objects_that_enter_and_leave_a_selection() throws Exception {
    var from = api.post(maps, "{'metadata':{'name':'a','labels':{'l':'x'}}}").version();
    api.merge(maps + "/a", "{'data':{'k':'2'}}").expect(200);
    api.merge(maps + "/a", "{'metadata':{'labels':{'l':'z'}}}").expect(200);
    api.post(maps, "{'metadata':{'name':'b','labels':{'l':'y'}}}").expect(201);
    api.merge(maps + "/b", "{'metadata':{'labels':{'l':'x'}}}").expect(200);
    api.delete(maps + "/b").expect(200);

    try (var events = api.watch(maps + "?watch=1&labelSelector=l%3Dx&resourceVersion=" + from)) {
      assertThat(events.next(4)).containsExactly("MODIFIED a", "DELETED a", "ADDED b", "DELETED b");
    }
  }

  @Test
  void begins_a_watch_with_what_is_there_and_marks_its_end() throws Exception {
    api.post(maps, "{'metadata':{'name':'a'}}").expect(201);

    try (var events =
        api.watch(
            maps
                + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                + "&resourceVersionMatch=NotOlderThan")) {
      assertThat(events.next()).isEqualTo("ADDED a");
      var bookmark = events.nextEvent();
      assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
      assertThat(bookmark.at("/object/metadata/annotations/k8s.io~1initial-events-end").asText())
          .isEqualTo("true");
      api.post(maps, "{'metadata':{'name':'b'}}").expect(201);
      assertThat(events.next()).isEqualTo("ADDED b");
    }
  }

  @Test
  void a_watch_cannot_begin_before_the_servers_own_first_objects() throws Exception {
    try (var events = api.watch(maps + "?watch=1&resourceVersion=1")) {
      var error = events.nextEvent();
      assertThat(error.path("type").asText()).isEqualTo("ERROR");
      assertThat(error.at("/object/code").asInt()).isEqualTo(410);
      assertThat(error.at("/object/message").asText()).startsWith("too old resource version: 1 (");
      assertThat(events.next()).startsWith("END");
    }
  }

  @Test
  void a_watch_of_tables_names_its_columns_once_and_marks_as_a_table() throws Exception {
    api.post(maps, "{'metadata':{'name':'a'}}").expect(201);
    api.post(maps, "{'metadata':{'name':'b'}}").expect(201);
    var path =
        maps
            + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
            + "&allowWatchBookmarks=true";

    try (var events = api.watch(path, "application/json;as=Table;v=v1;g=meta.k8s.io")) {
      assertThat(events.nextEvent().at("/object/columnDefinitions")).isNotEmpty();
      var second = events.nextEvent().path("object");
      assertThat(second.path("columnDefinitions").isNull()).isTrue();
      assertThat(second.at("/metadata/resourceVersion"))
          .isEqualTo(second.at("/rows/0/object/metadata/resourceVersion"));
      var mark = events.nextEvent();
      assertThat(mark.path("type").asText()).isEqualTo("BOOKMARK");
      assertThat(
              mark.at("/object/rows/0/object/metadata/annotations/k8s.io~1initial-events-end")
                  .asText())
          .isEqualTo("true");
    }
  }

  @Test
  void a_timeout_that_is_no_time_is_refused() throws Exception {
    assertThat(api.get(maps + "?timeout=soon").expect(400).text("/message"))
        .isEqualTo(
            "invalid timeout specified in the request URL - time: invalid duration \"soon\"");
    api.get(maps + "?timeout=0s").expect(200);
    api.get(maps + "?timeout=1h").expect(200);
  }

  @Test
  void an_answer_that_nobody_can_read_again_is_no_table() throws Exception {
    var request =
        Api.request(
                "POST",
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                "application/json",
                "{'spec':{'nonResourceAttributes':{'path':'/','verb':'get'}}}")
            .withHeader("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");

    api.send(request).expect(406);
  }

  @Test
  void ends_a_watch_when_its_time_is_up() throws Exception {
    try (var events = api.watch(maps + "?watch=1&timeoutSeconds=1")) {
      assertThat(events.next()).startsWith("END");
    }
  }

  @Test
  void wakes_the_reader_of_a_watch_that_is_closed() throws Exception {
    var events = api.watch(maps + "?watch=1");
    var reader =
        Thread.ofVirtual()
            .start(() -> {
              try {
                events.stream().next();
              } catch (Transport.Unreachable e) {
                // over HTTPS a closed stream may end this way
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });

    events.close();

    assertThat(reader.join(java.time.Duration.ofSeconds(10))).isTrue();
  }

  @Test
  void answers_who_asks_to_watch_in_a_websocket_with_an_upgrade() throws Exception {
    var request =
        Api.request("GET", maps + "?watch=1", "", "")
            .withHeader("connection", "Upgrade")
            .withHeader("upgrade", "websocket")
            .withHeader("sec-websocket-version", "13")
            .withHeader("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");

    var response = running().server().inProcess(Identity.admin()).send(request);

    assertThat(response.status()).isEqualTo(101);
    assertThat(response.headers().first("sec-websocket-accept"))
        .contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  }

  @Test
  void separates_status_from_the_rest() throws Exception {
    api.post(pods, pod("p", "")).expect(201);

    var status = api.merge(pods + "/p/status", "{'status':{'phase':'Running'}}").expect(200);
    var spec = api.merge(pods + "/p", "{'status':{'phase':'Failed'}}").expect(200);

    assertThat(status.text("/status/phase")).isEqualTo("Running");
    assertThat(spec.text("/status/phase")).isEqualTo("Running");
  }

  @Test
  void deletes_an_unbound_pod_at_once_and_lets_the_node_finish_a_bound_one() throws Exception {
    api.post(pods, pod("free", "")).expect(201);
    api.post(pods, pod("bound", "n1")).expect(201);

    api.delete(pods + "/free").expect(200);
    var going = api.delete(pods + "/bound").expect(200); // TERM-02

    api.get(pods + "/free").expect(404);
    assertThat(going.body().at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(30);
    api.get(pods + "/bound").expect(200);
    var wrong = "{'gracePeriodSeconds':0,'preconditions':{'uid':'other'}}";
    api.delete(pods + "/bound", wrong).expect(409);
    var right =
        "{'gracePeriodSeconds':0,'preconditions':{'uid':'" + going.text("/metadata/uid") + "'}}";
    api.delete(pods + "/bound", right).expect(200);
    api.get(pods + "/bound").expect(404);
  }

  @Test
  void the_longest_grace_period_is_68_years() throws Exception {
    api.post(pods, pod("bound", "n1")).expect(201);

    var going =
        api.delete(pods + "/bound", "{'gracePeriodSeconds':9223372036854775807}").expect(200);

    assertThat(going.body().at("/metadata/deletionGracePeriodSeconds").asLong())
        .isEqualTo(Integer.MAX_VALUE);
    api.delete(pods + "/bound", "{'gracePeriodSeconds':0}").expect(200);
  }

  @Test
  void keeps_a_deleted_object_until_its_finalizers_are_gone() throws Exception {
    api.post(maps, "{'metadata':{'name':'a','finalizers':['example.com/x']}}").expect(201);

    var marked = api.delete(maps + "/a").expect(200);
    api.get(maps + "/a").expect(200);
    api.merge(maps + "/a", "{'metadata':{'finalizers':null}}").expect(200);

    assertThat(marked.text("/metadata/deletionTimestamp")).isNotEmpty();
    api.get(maps + "/a").expect(404);
  }

  @Test
  void binds_a_pod_to_one_node_only() throws Exception {
    api.post(pods, pod("p", "")).expect(201);
    var binding = "{'metadata':{'name':'p'},'target':{'kind':'Node','name':'%s'}}";

    api.post(pods + "/p/binding", binding.formatted("n1")).expect(201);
    var second = api.post(pods + "/p/binding", binding.formatted("n2")).expect(409);

    assertThat(second.text("/message")).contains("pod p is already assigned to node \"n1\"");
    assertThat(api.get(pods + "/p").text("/spec/nodeName")).isEqualTo("n1");
    assertThat(api.get(pods + "?fieldSelector=spec.nodeName%3Dn1").names()).containsExactly("p");
  }

  @Test
  void an_evicted_pod_says_so_before_it_goes() throws Exception {
    api.post(pods, pod("p", "n1")).expect(201);
    var version = api.get(pods + "/p").text("/metadata/resourceVersion");
    var eviction =
        "{'metadata':{'name':'p'},'deleteOptions':{'preconditions':{'resourceVersion':'%s'}}}";

    api.post(pods + "/p/eviction?dryRun=All", "{'metadata':{'name':'p'}}").expect(201);
    api.post(pods + "/p/eviction", eviction.formatted("1")).expect(409);
    assertThat(api.get(pods + "/p").text("/metadata/resourceVersion")).isEqualTo(version);
    api.post(pods + "/p/eviction", eviction.formatted(version)).expect(201);

    var going = api.get(pods + "/p");
    assertThat(going.text("/metadata/deletionTimestamp")).isNotEmpty();
    var condition = going.body().at("/status/conditions/0");
    assertThat(condition.path("type").asText()).isEqualTo("DisruptionTarget");
    assertThat(condition.path("status").asText()).isEqualTo("True");
    assertThat(condition.path("reason").asText()).isEqualTo("EvictionByEvictionAPI");
    assertThat(condition.path("message").asText()).isEqualTo("Eviction API: evicting");
  }

  /** Both forms of an event are one object: whoever writes one form, readers have the choice. */
  @Test
  void serves_events_in_both_forms() throws Exception {
    var old = pods.replace("/pods", "/events");
    var young = old.replace("/api/v1", "/apis/events.k8s.io/v1");
    var about = "{'kind':'Pod','namespace':'" + old.split("/")[4] + "','name':'p'}";
    api.post(
            old,
            "{'metadata':{'name':'a'},'involvedObject':%s,'reason':'R','message':'m','count':1,"
                    .formatted(about)
                + "'type':'Normal','source':{'component':'c'}}")
        .expect(201);
    api.post(
            young,
            "{'metadata':{'name':'n'},'regarding':%s,'reason':'R','note':'hello',".formatted(about)
                + "'eventTime':'2026-01-02T03:04:05.123456Z','reportingController':'x/c',"
                + "'reportingInstance':'i','action':'Act','type':'Warning'}")
        .expect(201);

    var seen = api.get(young + "/a").expect(200);
    assertThat(seen.text("/apiVersion")).isEqualTo("events.k8s.io/v1");
    assertThat(seen.text("/note")).isEqualTo("m");
    assertThat(seen.text("/deprecatedCount")).isEqualTo("1");
    assertThat(seen.text("/deprecatedSource/component")).isEqualTo("c");
    assertThat(seen.body().has("reportingInstance")).isFalse();
    var back = api.get(old + "/n").expect(200);
    assertThat(back.text("/message")).isEqualTo("hello");
    assertThat(back.text("/reportingComponent")).isEqualTo("x/c");
    assertThat(back.version()).isEqualTo(api.get(young + "/n").expect(200).version());
    assertThat(api.get(young + "?fieldSelector=regarding.name%3Dp,type%3DWarning").names())
        .containsExactly("n");
    assertThat(api.get(young, TABLE).text("/rows/1/cells/6")).isEqualTo("hello");
    api.merge(young + "/a", "{'reason':'Other'}").expect(422);
    api.delete(young + "/n").expect(200);
    assertThat(api.get(old).names()).containsExactly("a");
  }

  @Test
  void passes_on_the_log_of_a_container() throws Exception {
    api.post(pods, pod("p", "n1")).expect(201);
    running()
        .server()
        .connectNodes((container, options) ->
            new Lines(
                List.of(
                    container.node() + "/" + container.container() + "\n",
                    "tail " + options.tailLines().orElse(-1) + "\n")));

    var log = api.get(pods + "/p/log?tailLines=5").expect(200);
    var wrong = api.get(pods + "/p/log?container=nope").expect(400);

    assertThat(log.body().asText()).isEqualTo("n1/a\ntail 5\n");
    assertThat(wrong.text("/message")).isEqualTo("container nope is not valid for pod p");
  }

  /** JB-26. */
  @Test
  void leaves_the_pods_of_a_deleted_job_unless_told_otherwise() throws Exception {
    var jobs = pods.replace("/api/v1", "/apis/batch/v1").replace("/pods", "/jobs");
    var job =
        "{'metadata':{'name':'%s'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
            + "'containers':[{'name':'c','image':'i'}]}}}}";
    api.post(jobs, job.formatted("a")).expect(201);
    api.post(jobs, job.formatted("b")).expect(201);

    var kept = api.delete(jobs + "/a").expect(200);
    var gone = api.delete(jobs + "/b?propagationPolicy=Background").expect(200);

    assertThat(kept.text("/metadata/finalizers/0")).isEqualTo("orphan");
    assertThat(kept.response().headers().first("warning").orElse(""))
        .contains("child pods are preserved by default when jobs are deleted");
    assertThat(gone.text("/status")).isEqualTo("Success");
    assertThat(gone.response().headers().first("warning")).isEmpty();
  }

  @Test
  void judges_a_foreign_uid_as_a_precondition_of_a_put_and_as_an_error_of_a_patch()
      throws Exception {
    api.post(maps, "{'metadata':{'name':'a'}}").expect(201);
    var uid = "'uid':'00000000-0000-0000-0000-000000000000'";

    api.put(maps + "/a", "{'metadata':{'name':'a'," + uid + "}}").expect(409);
    var refused = api.merge(maps + "/a", "{'metadata':{" + uid + "}}").expect(422);

    assertThat(refused.text("/details/causes/0/field")).isEqualTo("metadata.uid");
  }

  @Test
  void knows_a_custom_resource_only_in_its_own_version() throws Exception {
    var sets = pods.replace("/api/v1", "/apis/jobset.x-k8s.io/v1alpha2").replace("pods", "jobsets");

    var refused =
        api.post(
                sets,
                "{'apiVersion':'jobset.x-k8s.io/v1','kind':'JobSet','metadata':{'name':'a'},"
                    + "'spec':{}}")
            .expect(400);

    assertThat(refused.text("/message"))
        .isEqualTo(
            "the API version in the data (jobset.x-k8s.io/v1) does not match the expected API"
                + " version (jobset.x-k8s.io/v1alpha2)");
    assertThat(api.get(sets + "/a/scale").expect(404).text("/details/kind")).isEqualTo("jobsets");
  }

  @Test
  void has_the_priority_classes_of_the_system() throws Exception {
    var critical =
        api.get("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical").expect(200);

    assertThat(critical.text("/value")).isEqualTo("2000001000");
  }

  @Test
  void makes_names_and_dry_runs() throws Exception {
    var generated = api.post(maps, "{'metadata':{'generateName':'g-'}}").expect(201);
    api.post(maps + "?dryRun=All", "{'metadata':{'name':'dry'}}").expect(201);

    assertThat(generated.text("/metadata/name")).matches("g-[bcdfghjklmnpqrstvwxz2456789]{5}");
    api.get(maps + "/dry").expect(404);
  }

  @Test
  void shows_pods_as_a_table() throws Exception {
    api.post(pods, pod("p", "")).expect(201);

    var table = api.get(pods, TABLE).expect(200);

    assertThat(table.text("/kind")).isEqualTo("Table");
    assertThat(table.text("/rows/0/cells/0")).isEqualTo("p");
    assertThat(table.text("/rows/0/cells/2")).isEqualTo("Pending");
  }

  @Test
  void answers_strange_requests_with_a_status() throws Exception {
    api.get("/api/v1/nonsense").expect(404);
    api.put(maps, "{}").expect(405);
    api.get("/apis/nope.example.com/v1/things").expect(404);
    api.post(maps, "{'metadata':{'name':'x'}").expect(400);
    api.send("PATCH", maps + "/x", "text/plain", "{}").expect(415);
    api.get(maps, "text/csv").expect(406);
    api.get(maps + "?labelSelector=a%20b").expect(400);
    api.post("/api/v1/namespaces/nowhere/configmaps", "{'metadata':{'name':'x'}}").expect(404);
  }

  @Test
  void refuses_a_body_that_is_too_large() throws Exception {
    var large = "{'data':{'k':'" + "x".repeat(3 * 1024 * 1024) + "'}}";

    assertThat(api.post(maps, large).expect(413).text("/message"))
        .isEqualTo("Request entity too large: limit is 3145728");
  }

  @Test
  void acts_as_somebody_else_for_an_administrator() throws Exception {
    var request = Api.request("GET", pods, "", "").withHeader("impersonate-user", "alice");

    var refused = api.send(request).expect(403);

    assertThat(refused.text("/message"))
        .startsWith("pods is forbidden: User \"alice\" cannot list resource \"pods\"");
  }

  @Test
  void says_what_it_has() throws Exception {
    assertThat(api.get("/version").text("/minor")).isEqualTo("36");
    assertThat(api.get("/readyz").expect(200).body().asText()).isEqualTo("ok");
    assertThat(api.get("/apis").body().path("groups")).isNotEmpty();
    assertThat(api.get("/openapi/v3/api/v1").expect(200).text("/openapi")).isEqualTo("3.0.0");
  }

  static String pod(String name, String node) {
    var nodeName = node.isEmpty() ? "" : ",'nodeName':'" + node + "'";
    return "{'metadata':{'name':'%s'},'spec':{'containers':[{'name':'a','image':'i'}]%s}}"
        .formatted(name, nodeName);
  }

  /** A log that is already written. */
  private static final class Lines implements Transport.Stream {
    private final Queue<String> lines;

    Lines(List<String> lines) {
      this.lines = new ArrayDeque<>(lines);
    }

    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.NONE;
    }

    @Override
    public byte @Nullable [] next() {
      var line = lines.poll();
      return line == null ? null : line.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {}
  }

  /** Stands where the real transport will be once a test begins. */
  private static final class NoTransport implements Transport {
    @Override
    public dev.regroup.client.Response send(dev.regroup.client.Request request) {
      throw new IllegalStateException("no test has begun");
    }

    @Override
    public Stream open(dev.regroup.client.Request request) {
      throw new IllegalStateException("no test has begun");
    }
  }
}
