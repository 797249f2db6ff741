package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.InProcessTransport.Upgrade;
import dev.regroup.server.TestServer.Carrier;
import dev.regroup.server.access.Identity;
import dev.regroup.server.talk.CommandStreams;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Talks as clients hold them, with a node that the test plays. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class PodTalksIT {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String ALL = "command=run&command=me&stdin=true&stdout=true&stderr=true";
  private static final String A = "{'name':'a','image':'i'}";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;
  private TestServer server;
  private InProcessTransport admin;
  private FakeCommand command;

  @BeforeEach
  void open() throws Exception {
    server = TestServer.start(directory);
    command = new FakeCommand();
    server.server().connectNodes(new OneCommand());
    admin = (InProcessTransport) server.server().inProcess(Identity.admin());
    var api = server.admin(Carrier.IN_PROCESS);
    api.post("/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'default'}}");
    api.post(PODS, "{'metadata':{'name':'p'},'spec':{'nodeName':'n','containers':[" + A + "]}}");
    api.post(PODS, "{'metadata':{'name':'free'},'spec':{'containers':[" + A + "]}}");
    var two = A + ",{'name':'b','image':'i'}";
    api.post(
        PODS, "{'metadata':{'name':'two'},'spec':{'nodeName':'n','containers':[" + two + "]}}");
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** A node with one command in all its containers. */
  private final class OneCommand implements NodeAccess {
    @Override
    public Transport.Stream logs(ContainerRef container, LogOptions options) throws NodeFailure {
      throw new NodeFailure(404, "no logs here");
    }

    @Override
    public CommandStreams exec(ContainerRef container, List<String> words, Stdin stdin)
        throws NodeFailure {
      if (words.contains("nope")) {
        throw new NodeFailure(500, "error executing command in container: nope");
      }
      return command;
    }
  }

  @Test
  void a_command_is_heard_in_channels_and_its_exit_code_is_told() throws Exception {
    try (var client = exec("v5.channel.k8s.io")) {
      assertThat(client.hear()).as("the talk has begun").isEqualTo("1");

      command.out.write("out".getBytes(UTF_8));
      command.out.flush();
      assertThat(client.hear()).isEqualTo("1out");
      command.err.write("err".getBytes(UTF_8));
      command.err.flush();
      assertThat(client.hear()).isEqualTo("2err");
      command.exit(3);

      assertThat(status(client).at("/details/causes/0").toString())
          .isEqualTo("{\"reason\":\"ExitCode\",\"message\":\"3\"}");
      assertThat(client.hear()).as("good-bye").isNull();
    }
  }

  @Test
  void a_client_ends_its_input_and_hears_on() throws Exception {
    try (var client = exec("v5.channel.k8s.io")) {
      client.hear();
      client.say(0, "some words");
      client.say((byte) 255, (byte) 0);

      assertThat(new String(command.heard.readAllBytes(), UTF_8)).isEqualTo("some words");
      command.exit(0);
      assertThat(status(client).path("status").asText()).isEqualTo("Success");
    }
  }

  @Test
  void the_size_of_a_terminal_reaches_the_command() throws Exception {
    try (var client = exec("v4.channel.k8s.io")) {
      client.say(4, "nonsense");
      client.say(4, "{\"Width\":120,\"Height\":40}\n");

      assertThat(command.size.get()).isEqualTo("120x40");
    }
  }

  @Test
  void a_client_that_goes_ends_its_command() throws Exception {
    var client = exec("v5.channel.k8s.io");
    client.hear();

    client.close();

    assertThat(command.end.get()).isEqualTo(137);
  }

  @Test
  void a_command_that_cannot_start_is_told_in_the_talk() throws Exception {
    var query = "command=nope&stdout=true";
    try (var client = talk(PODS + "/p/exec", query, "v5.channel.k8s.io")) {
      client.hear();

      assertThat(status(client).path("message").asText())
          .isEqualTo("Internal error occurred: error executing command in container: nope");
    }
  }

  @Test
  void what_can_be_refused_is_refused_before_the_talk() throws Exception {
    assertThat(refusal(PODS + "/free/exec", ALL))
        .isEqualTo("400 pod free does not have a host assigned");
    assertThat(refusal(PODS + "/none/exec", ALL)).isEqualTo("404 pods \"none\" not found");
    assertThat(refusal(PODS + "/p/exec", ALL + "&container=x"))
        .isEqualTo("400 container x is not valid for pod p");
    assertThat(refusal(PODS + "/two/exec", ALL))
        .isEqualTo("400 a container name must be specified for pod two, choose one of: [a b]");
    assertThat(refusal(PODS + "/p/exec", "stdout=true"))
        .isEqualTo("400 you must specify at least 1 command");
    assertThat(refusal(PODS + "/p/attach", "tty=true&stdout=true"))
        .startsWith("400 Unable to use a TTY");
    assertThat(refused(FramedClient.ask(PODS + "/p/exec", ALL, "v9.channel.k8s.io")))
        .startsWith("400 unable to negotiate protocol");
    assertThat(refused(Request.get(PODS + "/p/exec", ALL)))
        .isEqualTo("400 Upgrade request required");
  }

  @Test
  void a_client_that_only_speaks_spdy_is_told_which_one_is_needed() throws Exception {
    for (var part : List.of("exec", "attach", "portforward")) {
      var request =
          Request.of("POST", PODS + "/p/" + part, "", new byte[0])
              .withQuery(ALL)
              .withHeader("connection", "Upgrade")
              .withHeader("upgrade", "SPDY/3.1");

      assertThat(refused(request)).startsWith("400 ").contains("kubectl 1.30 or newer");
    }
  }

  @Test
  void who_may_only_read_may_not_talk() throws Exception {
    var api = server.admin(Carrier.IN_PROCESS);
    var rights = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/";
    api.post(
            rights + "roles",
            "{'metadata':{'name':'r'},'rules':[{'apiGroups':[''],'resources':['pods/exec'],"
                + "'verbs':['get']}]}")
        .expect(201);
    api.post(
            rights + "rolebindings",
            "{'metadata':{'name':'r'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io',"
                + "'kind':'Role','name':'r'},'subjects':[{'kind':'User','name':'eve'}]}")
        .expect(201);
    var eve = (InProcessTransport) server.server().inProcess(Identity.of("eve"));

    var answer = eve.upgrade(FramedClient.ask(PODS + "/p/exec", ALL, "v5.channel.k8s.io"));

    assertThat(((Upgrade.Declined) answer).answer().status()).isEqualTo(403);
    assertThat(new String(((Upgrade.Declined) answer).answer().body(), UTF_8))
        .contains("cannot create resource \\\"pods/exec\\\"");
  }

  @Test
  void a_watch_comes_in_messages_and_ends_when_the_client_goes() throws Exception {
    var maps = "/api/v1/namespaces/default/configmaps";
    try (var client = talk(maps, "watch=1&fieldSelector=metadata.name%3Dm", "")) {
      server.admin(Carrier.IN_PROCESS).post(maps, "{'metadata':{'name':'m'}}").expect(201);

      var event = JSON.readTree(Objects.requireNonNull(client.message()));
      assertThat(event.path("type").asText()).isEqualTo("ADDED");
      assertThat(event.at("/object/metadata/name").asText()).isEqualTo("m");
    }
  }

  private FramedClient exec(String protocol) throws Exception {
    return talk(PODS + "/p/exec", ALL, protocol);
  }

  private FramedClient talk(String path, String query, String protocol) throws Exception {
    var agreed = (Upgrade.Agreed) admin.upgrade(FramedClient.ask(path, query, protocol));
    assertThat(agreed.head().headers().first("sec-websocket-protocol").orElse(""))
        .isEqualTo(protocol);
    return new FramedClient(agreed.server());
  }

  private com.fasterxml.jackson.databind.JsonNode status(FramedClient client) throws Exception {
    var message = Objects.requireNonNull(client.hear());
    assertThat(message).startsWith("3");
    return JSON.readTree(message.substring(1));
  }

  private String refusal(String path, String query) throws Exception {
    return refused(FramedClient.ask(path, query, "v5.channel.k8s.io"));
  }

  private String refused(Request request) throws Exception {
    var answer = ((Upgrade.Declined) admin.upgrade(request)).answer();
    return answer.status() + " " + JSON.readTree(answer.body()).path("message").asText();
  }
}
