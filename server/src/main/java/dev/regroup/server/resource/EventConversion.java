package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.List;
import java.util.Optional;

/** {@code events.k8s.io/v1} events are core events with other field names. */
final class EventConversion implements Conversion {

  /** Where the two forms call the same value differently. */
  private record Renamed(String core, String served) {}

  private static final GroupVersionKind CORE = new GroupVersionKind("", "v1", "Event");
  private static final GroupVersionKind SERVED =
      new GroupVersionKind("events.k8s.io", "v1", "Event");
  private static final List<Renamed> RENAMED =
      List.of(
          new Renamed("involvedObject", "regarding"),
          new Renamed("message", "note"),
          new Renamed("source", "deprecatedSource"),
          new Renamed("firstTimestamp", "deprecatedFirstTimestamp"),
          new Renamed("lastTimestamp", "deprecatedLastTimestamp"),
          new Renamed("count", "deprecatedCount"),
          new Renamed("reportingComponent", "reportingController"));

  @Override
  public Optional<GroupVersionKind> storedKind() {
    return Optional.of(CORE);
  }

  @Override
  public ObjectNode toStored(ObjectNode served) {
    var event = named(CORE);
    for (var field : served.properties()) {
      event.set(coreName(field.getKey()), field.getValue().deepCopy());
    }
    if (isEmptyText(event.path("message"))) {
      event.remove("message");
    }
    for (var always : List.of("reportingComponent", "reportingInstance")) {
      if (!event.has(always)) {
        event.put(always, "");
      }
    }
    return event.put("apiVersion", CORE.apiVersion());
  }

  @Override
  public ObjectNode toServed(ObjectNode stored) {
    var event = named(SERVED);
    for (var field : stored.properties()) {
      if (!isEmptyText(field.getValue())) {
        event.set(servedName(field.getKey()), field.getValue().deepCopy());
      }
    }
    return event.put("apiVersion", SERVED.apiVersion());
  }

  private static ObjectNode named(GroupVersionKind kind) {
    return Wire.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
  }

  /** The served form leaves empty texts out, the stored one keeps some. */
  private static boolean isEmptyText(JsonNode value) {
    return value.isTextual() && value.asText().isEmpty();
  }

  private static String coreName(String served) {
    return RENAMED.stream()
        .filter(one -> one.served().equals(served))
        .map(Renamed::core)
        .findFirst()
        .orElse(served);
  }

  private static String servedName(String core) {
    return RENAMED.stream()
        .filter(one -> one.core().equals(core))
        .map(Renamed::served)
        .findFirst()
        .orElse(core);
  }
}
