package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Short names for reading and writing an object's {@code metadata}. */
public final class Meta {
  private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX_LENGTH = 5;
  private static final int LONGEST_BASE = 63 - SUFFIX_LENGTH;

  private Meta() {}

  /** The metadata to write to; made when absent. */
  public static ObjectNode of(ObjectNode object) {
    return object.get("metadata") instanceof ObjectNode metadata
        ? metadata
        : object.putObject("metadata");
  }

  public static String text(ObjectNode object, String field) {
    return object.path("metadata").path(field).asText("");
  }

  public static String name(ObjectNode object) {
    return text(object, "name");
  }

  public static String uid(ObjectNode object) {
    return text(object, "uid");
  }

  public static boolean deleted(ObjectNode object) {
    return object.path("metadata").hasNonNull("deletionTimestamp");
  }

  public static List<String> finalizers(ObjectNode object) {
    var names = new ArrayList<String>();
    object.path("metadata").path("finalizers").forEach(one -> names.add(one.asText()));
    return names;
  }

  public static void setFinalizers(ObjectNode object, List<String> names) {
    if (names.isEmpty()) {
      of(object).remove("finalizers");
      return;
    }
    ArrayNode list = of(object).putArray("finalizers");
    names.forEach(list::add);
  }

  /** Writes a number as the parser reads it, so that an unchanged object stays equal. */
  public static void put(ObjectNode object, String field, long number) {
    if (number == (int) number) {
      object.put(field, (int) number);
    } else {
      object.put(field, number);
    }
  }

  /** A time stamp as Kubernetes writes it: UTC, whole seconds. */
  public static String stamp(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** A random (version 4) uid. */
  public static String newUid(RandomGenerator random) {
    long high = (random.nextLong() & ~0xF000L) | 0x4000L;
    long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low).toString();
  }

  /** A name from a {@code generateName} prefix. */
  public static String generateName(String prefix, RandomGenerator random) {
    var base = prefix.length() > LONGEST_BASE ? prefix.substring(0, LONGEST_BASE) : prefix;
    var name = new StringBuilder(base);
    for (int i = 0; i < SUFFIX_LENGTH; i++) {
      name.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
    }
    return name.toString();
  }
}
