package dev.regroup.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.NodeAccess.AtEnd;
import dev.regroup.server.NodeAccess.ContainerRef;
import dev.regroup.server.NodeAccess.NodeFailure;
import dev.regroup.server.NodeAccess.PodRef;
import dev.regroup.server.NodeAccess.Stdin;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.talk.ChannelProtocol;
import dev.regroup.server.talk.CommandTalk;
import dev.regroup.server.talk.ForwardTalk;
import dev.regroup.server.talk.PortChannelsTalk;
import dev.regroup.server.talk.PortDialer;
import dev.regroup.server.talk.TalkRefused;
import dev.regroup.server.websocket.WebSocketHandshake;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestQuery;
import dev.regroup.server.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * Talks between a client and a pod: exec, attach, port-forward. What can be refused is refused
 * before the talk begins; what only the node knows is told in it. Whoever gets here may talk.
 */
final class PodTalks {

  private static final int HIGHEST_PORT = 65_535;
  private static final int MOST_PORTS = 64; // each has two of the 255 channels

  private final PodStreams streams;

  PodTalks(PodStreams streams) {
    this.streams = streams;
  }

  Answer talk(Call call, ResourceType pods) throws Refused {
    var pod = streams.pod(call, pods);
    return switch (call.info().subresource()) {
      case "exec" -> exec(call, pod);
      case "attach" -> attach(call, pod);
      case "portforward" -> forward(call, pod);
      default -> throw new Refused(Status.noSuchResource());
    };
  }

  private Answer exec(Call call, ObjectNode pod) throws Refused {
    var container = container(call, pod);
    var access = streams.access();
    var command = call.query().all("command");
    if (command.isEmpty()) {
      throw Refused.badRequest("you must specify at least 1 command");
    }
    var wanted = wanted(call.query(), command);
    var stdin = stdin(wanted);
    return command(
        call,
        wanted,
        () -> {
          try {
            return access.exec(container, command, stdin);
          } catch (NodeFailure e) {
            throw refused(e);
          }
        });
  }

  private Answer attach(Call call, ObjectNode pod) throws Refused {
    var container = container(call, pod);
    var spec = spec(pod, container.container());
    var asked = wanted(call.query(), List.of());
    boolean reads = asked.stdin() && spec.path("stdin").asBoolean();
    if (asked.tty() && !spec.path("tty").asBoolean()) {
      throw Refused.badRequest(
          "Unable to use a TTY - container " + container.container() + " did not allocate one");
    }
    // A terminal has one output, whatever the client thinks.
    var wanted =
        new CommandTalk.Wanted(
            List.of(),
            reads,
            asked.stdout(),
            asked.stderr(),
            asked.tty() || spec.path("tty").asBoolean());
    var atEnd = reads && spec.path("stdinOnce").asBoolean() ? AtEnd.ENDS_INPUT : AtEnd.GOES_ON;
    var access = streams.access();
    return command(
        call,
        wanted,
        () -> {
          try {
            return access.attach(container, stdin(wanted), atEnd);
          } catch (NodeFailure e) {
            throw refused(e);
          }
        });
  }

  private Answer forward(Call call, ObjectNode pod) throws Refused {
    var node = node(call, pod);
    var reference =
        new PodRef(
            node,
            call.info().namespace(),
            call.info().name(),
            pod.path("metadata").path("uid").asText());
    var access = streams.access();
    requireWebSocket(call);
    PortDialer dialer =
        port -> {
          try {
            return access.connect(reference, port);
          } catch (NodeFailure e) {
            throw new TalkRefused(
                Status.plainError(
                    "error forwarding port %d to pod %s, uid : %s"
                        .formatted(port, reference.pod(), e.getMessage())));
          }
        };
    var known = List.of(ForwardTalk.PROTOCOL, ChannelProtocol.V4.wireName());
    var protocol =
        WebSocketHandshake.choose(call.request(), known)
            .orElseThrow(() -> unknownProtocol(call, known));
    var talk =
        protocol.equals(ForwardTalk.PROTOCOL)
            ? new ForwardTalk(dialer)
            : new PortChannelsTalk(dialer, ports(call.query()));
    return WebSocketHandshake.accept(call.request(), protocol, talk);
  }

  private static List<Integer> ports(RequestQuery query) throws Refused {
    var ports = new ArrayList<Integer>();
    for (var text : String.join(",", query.all("ports")).split(",", -1)) {
      int port = text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
      if (port < 1 || port > HIGHEST_PORT) {
        throw Refused.badRequest("port \"%s\" must be from 1 to 65535".formatted(text));
      }
      ports.add(port);
    }
    if (ports.size() > MOST_PORTS) {
      throw Refused.badRequest("at most %d ports, got %d".formatted(MOST_PORTS, ports.size()));
    }
    return ports;
  }

  private static Answer command(Call call, CommandTalk.Wanted wanted, CommandTalk.Opening opening)
      throws Refused {
    requireWebSocket(call);
    var known = ChannelProtocol.names();
    boolean silent = WebSocketHandshake.offered(call.request()).isEmpty();
    var chosen = WebSocketHandshake.choose(call.request(), known);
    var protocol =
        chosen
            .or(() -> silent ? Optional.of("") : Optional.empty())
            .orElseThrow(() -> unknownProtocol(call, known));
    var talk =
        new CommandTalk(
            opening, wanted, ChannelProtocol.named(protocol).orElse(ChannelProtocol.V1));
    return WebSocketHandshake.accept(call.request(), protocol, talk);
  }

  private static void requireWebSocket(Call call) throws Refused {
    if (WebSocketHandshake.isWanted(call.request())) {
      return;
    }
    var upgrade = call.request().headers().first("upgrade").orElse("");
    throw Refused.badRequest(
        upgrade.regionMatches(true, 0, "SPDY/", 0, 5)
            ? "this server talks in WebSockets, not in SPDY: "
                + call.info().subresource()
                + " needs kubectl 1.30 or newer, 1.31 for port-forward"
            : "Upgrade request required");
  }

  private static Refused unknownProtocol(Call call, List<String> known) {
    return Refused.badRequest(
        "unable to negotiate protocol: client supports %s, server supports %s"
            .formatted(WebSocketHandshake.offered(call.request()), known));
  }

  private static CommandTalk.Wanted wanted(RequestQuery query, List<String> command)
      throws Refused {
    boolean tty = query.flag("tty");
    var wanted =
        new CommandTalk.Wanted(
            command, query.flag("stdin"), query.flag("stdout"), query.flag("stderr"), tty);
    if (!wanted.stdin() && !wanted.stdout() && !wanted.stderr()) {
      throw Refused.badRequest("you must specify at least 1 of stdin, stdout, stderr");
    }
    return wanted;
  }

  private static Stdin stdin(CommandTalk.Wanted wanted) {
    if (wanted.tty()) {
      return Stdin.TERMINAL;
    }
    return wanted.stdin() ? Stdin.PIPE : Stdin.NONE;
  }

  private static ContainerRef container(Call call, ObjectNode pod) throws Refused {
    var container = PodStreams.container(pod, call.query().text("container"));
    return new ContainerRef(
        node(call, pod),
        call.info().namespace(),
        call.info().name(),
        pod.path("metadata").path("uid").asText(),
        container);
  }

  private static String node(Call call, ObjectNode pod) throws Refused {
    var node = pod.path("spec").path("nodeName").asText("");
    if (node.isEmpty()) {
      throw Refused.badRequest("pod " + call.info().name() + " does not have a host assigned");
    }
    return node;
  }

  private static JsonNode spec(ObjectNode pod, String container) {
    return List.of("containers", "initContainers", "ephemeralContainers").stream()
        .flatMap(field -> StreamSupport.stream(pod.path("spec").path(field).spliterator(), false))
        .filter(one -> one.path("name").asText().equals(container))
        .findFirst()
        .orElseThrow();
  }

  private static TalkRefused refused(NodeFailure failure) {
    return new TalkRefused(Status.internalError(String.valueOf(failure.getMessage())));
  }
}
