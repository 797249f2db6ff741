package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ObjectKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

/**
 * An event, as far as pages and reports show it.
 *
 * @param at the newest time it tells
 * @param count how often it happened
 */
public record ClusterEvent(
    String at, String type, String reason, String kind, ObjectKey about, String text, int count) {

  private static final int LONGEST = 2_000; // characters

  public static ClusterEvent of(JsonNode event) {
    var about = event.path("involvedObject");
    String text = Trees.text(event, "message");
    return new ClusterEvent(
        Stream.of(
                Trees.text(event, "series", "lastObservedTime"),
                Trees.text(event, "lastTimestamp"),
                Trees.text(event, "eventTime"),
                Trees.text(event, "metadata", "creationTimestamp"))
            .filter(time -> !time.isEmpty())
            .findFirst()
            .orElse(""),
        Trees.text(event, "type"),
        Trees.text(event, "reason"),
        Trees.text(about, "kind"),
        new ObjectKey(Trees.text(about, "namespace"), Trees.text(about, "name")),
        text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text,
        Math.max(
            Trees.integer(event, "count").orElse(1),
            Trees.integer(event, "series", "count").orElse(1)));
  }

  /** Whether it is about this JobSet or something whose name begins with its name. */
  public boolean concerns(ObjectKey jobSet) {
    return about.namespace().equals(jobSet.namespace())
        && (about.name().equals(jobSet.name()) || about.name().startsWith(jobSet.name() + "-"));
  }

  /** With the time it was heard instead of the whole second that it tells, if heard at once. */
  ClusterEvent heard(Instant now) {
    var told = Trees.time(Wire.object().put("at", at), "at");
    if (told == null || !told.equals(told.truncatedTo(ChronoUnit.SECONDS)) || now.isBefore(told)) {
      return this;
    }
    var latest = told.plusMillis(999);
    if (now.isAfter(latest.plusSeconds(1))) {
      return this; // it is only shown now
    }
    var then = now.isBefore(latest) ? now : latest;
    String words = then.truncatedTo(ChronoUnit.MILLIS).toString();
    return new ClusterEvent(words, type, reason, kind, about, text, count);
  }

  /** Starts of pods are what every run is made of; the rest is worth to be kept. */
  boolean tells() {
    return type.equals("Warning") || !kind.equals("Pod");
  }

  public ObjectNode json(String id) {
    var json = Wire.object().put("id", id);
    json.setAll(json());
    return json;
  }

  ObjectNode json() {
    return Wire.object()
        .put("at", at)
        .put("type", type)
        .put("reason", reason)
        .put("kind", kind)
        .put("name", about.name())
        .put("text", text)
        .put("count", count);
  }
}
