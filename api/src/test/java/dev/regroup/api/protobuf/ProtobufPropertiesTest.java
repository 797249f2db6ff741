package dev.regroup.api.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for any object and any bytes; {@code -Dfuzz.seconds=60} looks longer. */
class ProtobufPropertiesTest {

  private static final Schema SCHEMA = Schema.of(Gates.upstream(), Decoding.STRICT);
  private static final int TREES_PER_KIND = 30;

  static Stream<GroupVersionKind> kindsOfTheSchema() {
    return SCHEMA.names().stream()
        .flatMap(name -> SCHEMA.definition(name).kinds().stream())
        .filter(kind -> !kind.group().equals("jobset.x-k8s.io"))
        .filter(kind -> !kind.kind().equals("WatchEvent")) // only ever written, as a frame
        .distinct();
  }

  @ParameterizedTest
  @MethodSource("kindsOfTheSchema")
  void every_object_of_the_schema_survives_the_way_there_and_back(GroupVersionKind kind)
      throws Exception {
    for (int seed = 0; seed < TREES_PER_KIND; seed++) {
      var random = new RandomTrees(SCHEMA, new Random(seed)).of(kind);
      var tree = conformed(random, kind);

      byte[] bytes = ProtobufCodec.write(tree);
      var read = ProtobufCodec.read(bytes, kind).tree();

      assertThat(lost(conformed(tree.deepCopy(), kind), conformed(read.deepCopy(), kind), ""))
          .as("seed %d of %s: %s", seed, kind, tree)
          .isEmpty();
      assertThat(ProtobufCodec.write(read)).as("seed %d of %s", seed, kind).isEqualTo(bytes);
    }
  }

  @Test
  void bytes_of_any_kind_are_read_or_refused_and_nothing_else() {
    var random = new Random(7);
    List<GoBytes> good = GoBytes.all();
    var seconds = Duration.ofSeconds(Long.getLong("fuzz.seconds", 1));
    long end = System.nanoTime() + seconds.toNanos();
    int read = 0;
    int refused = 0;
    for (int i = 0; i < 5_000 || System.nanoTime() < end; i++) {
      var one = good.get(random.nextInt(good.size()));
      var bytes = spoiled(one.protobuf(), random);
      try {
        ProtobufCodec.write(ProtobufCodec.read(bytes, one.kind()).tree());
        read++;
      } catch (Undecodable e) {
        refused++;
      } catch (IllegalArgumentException e) {
        assertThat(e).as("round %d", i).hasMessageStartingWith("no protobuf form of");
      } catch (RuntimeException | StackOverflowError e) {
        throw new AssertionError("round " + i + " of seed 7, " + one.kind(), e);
      }
    }
    assertThat(read).isPositive();
    assertThat(refused).isPositive();
  }

  private static byte[] spoiled(byte[] good, Random random) {
    byte[] bytes =
        random.nextInt(4) == 0
            ? Arrays.copyOf(good, random.nextInt(good.length) + 1)
            : good.clone();
    for (int changes = random.nextInt(4); changes >= 0; changes--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return bytes;
  }

  private static ObjectNode conformed(ObjectNode tree, GroupVersionKind kind) throws Undecodable {
    return new Decoder(SCHEMA).decode(new Document(tree, List.of()), kind).object();
  }

  /** The first place where something of the one is not in the other, or nothing. */
  private static String lost(JsonNode from, JsonNode in, String path) {
    if (from.isObject()) {
      for (Map.Entry<String, JsonNode> entry : from.properties()) {
        var lost = lost(entry.getValue(), in.path(entry.getKey()), path + "/" + entry.getKey());
        if (!lost.isEmpty()) {
          return lost;
        }
      }
      return in.isObject() ? "" : path;
    }
    if (from.isArray() && in.size() == from.size()) {
      for (int i = 0; i < from.size(); i++) {
        var lost = lost(from.get(i), in.get(i), path + "/" + i);
        if (!lost.isEmpty()) {
          return lost;
        }
      }
      return "";
    }
    boolean zero = List.of("", "0", "false").contains(from.asText());
    return from.equals(in) || (zero && in.isMissingNode()) ? "" : path + ": " + from + " is " + in;
  }
}
