package dev.regroup.api.tree;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fields of a merge patch: what is empty is said to be gone, or it would stay. */
public final class MergeFields {

  private MergeFields() {}

  public static void number(ObjectNode body, String name, int value) {
    if (value == 0) {
      body.putNull(name);
    } else {
      body.put(name, value);
    }
  }

  public static void text(ObjectNode body, String name, String value) {
    if (value.isEmpty()) {
      body.putNull(name);
    } else {
      body.put(name, value);
    }
  }

  public static void texts(ObjectNode body, String name, List<String> values) {
    if (values.isEmpty()) {
      body.putNull(name);
    } else {
      values.forEach(body.putArray(name)::add);
    }
  }

  /** To the second, as Kubernetes writes times. */
  public static void time(ObjectNode body, String name, @Nullable Instant time) {
    if (time == null) {
      body.putNull(name);
    } else {
      body.put(name, time.truncatedTo(ChronoUnit.SECONDS).toString());
    }
  }
}
