package dev.regroup.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.Carried;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartCycle.SingleRestart;
import dev.regroup.rules.pod.RestartCycle.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.OptionalInt;

/**
 * The record of RAC-07 as JSON. Fields a newer version added are skipped, missing ones are none.
 */
final class CycleJson {

  private CycleJson() {}

  static ObjectNode write(RestartCycle cycle) {
    var json = Wire.object();
    json.put("epoch", cycle.epoch()).put("state", cycle.state().name());
    json.set("cause", cause(cycle.cause()));
    json.put("begunAt", cycle.begunAt().toString()).put("grace", cycle.grace().toString());
    var keep = json.putArray("keep");
    cycle.keep().stream().sorted().forEach(keep::add);
    json.put("requestID", cycle.requestId());
    json.putObject("singleRestart")
        .put("container", cycle.singleRestart().container())
        .put("attempt", cycle.singleRestart().run());
    cycle.attempt().ifPresent(attempt -> json.put("attempt", attempt));
    json.put("attemptFloor", cycle.attemptFloor());
    var carried = json.putObject("carried");
    cycle.carried().forEach((name, known) -> carried.set(name, carried(known)));
    return json;
  }

  static RestartCycle read(JsonNode json) {
    var keep = new HashSet<String>();
    json.path("keep").forEach(name -> keep.add(name.asText()));
    var carried = new HashMap<String, Carried>();
    json.path("carried")
        .properties()
        .forEach(entry -> carried.put(entry.getKey(), carried(entry.getValue())));
    return new RestartCycle(
        json.path("epoch").asInt(),
        RestartCycle.State.valueOf(json.path("state").asText()),
        cause(json.path("cause")),
        Instant.parse(json.path("begunAt").asText()),
        keep,
        Duration.parse(json.path("grace").asText("PT0S")),
        json.path("requestID").asText(""),
        new SingleRestart(
            json.path("singleRestart").path("container").asText(""),
            json.path("singleRestart").path("attempt").asInt(-1)),
        json.has("attempt") ? OptionalInt.of(json.path("attempt").asInt()) : OptionalInt.empty(),
        json.path("attemptFloor").asInt(0),
        carried);
  }

  private static ObjectNode cause(Cause cause) {
    var json = Wire.object();
    switch (cause) {
      case Cause.None() -> {}
      case Cause.Exited(var sources) -> {
        var list = json.putArray("exited");
        for (var source : sources) {
          list.addObject()
              .put("container", source.container())
              .put("exitCode", source.exitCode())
              .put("finishedAt", source.finishedAt().toString())
              .put("rule", source.rule());
        }
      }
      case Cause.GroupOrder(int from, int to) ->
          json.putObject("groupOrder").put("from", from).put("to", to);
      case Cause.Requested(var id, var reason) ->
          json.putObject("requested").put("id", id).put("reason", reason);
    }
    return json;
  }

  private static Cause cause(JsonNode json) {
    if (json.has("exited")) {
      var sources = new ArrayList<Source>();
      for (var source : json.path("exited")) {
        sources.add(
            new Source(
                source.path("container").asText(),
                source.path("exitCode").asInt(),
                Instant.parse(source.path("finishedAt").asText()),
                source.path("rule").asInt()));
      }
      return new Cause.Exited(sources);
    }
    if (json.has("groupOrder")) {
      var order = json.path("groupOrder");
      return new Cause.GroupOrder(order.path("from").asInt(), order.path("to").asInt());
    }
    if (json.has("requested")) {
      var request = json.path("requested");
      return new Cause.Requested(request.path("id").asText(), request.path("reason").asText());
    }
    return new Cause.None();
  }

  private static ObjectNode carried(Carried carried) {
    var last = carried.last();
    var json = Wire.object();
    json.put("shown", carried.shown()).put("next", carried.next());
    json.putObject("last")
        .put("exitCode", last.exitCode())
        .put("reason", last.reason())
        .put("message", last.message())
        .put("startedAt", last.startedAt().toString())
        .put("finishedAt", last.finishedAt().toString())
        .put("containerID", last.containerId().value());
    return json;
  }

  private static Carried carried(JsonNode json) {
    var last = json.path("last");
    return new Carried(
        json.path("shown").asInt(),
        json.path("next").asInt(),
        new Terminated(
            last.path("exitCode").asInt(),
            last.path("reason").asText(),
            last.path("message").asText(),
            Instant.parse(last.path("startedAt").asText()),
            Instant.parse(last.path("finishedAt").asText()),
            new ContainerId(last.path("containerID").asText())));
  }
}
