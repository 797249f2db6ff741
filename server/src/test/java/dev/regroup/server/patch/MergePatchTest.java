package dev.regroup.server.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MergePatchTest {

  private static final String[] PARTS = {"kind", "metadata", "spec", "status", "data"};

  @Test
  void sharing_and_copying_make_the_same_object_and_leave_the_stored_one_alone() {
    for (int seed = 0; seed < 5_000; seed++) {
      var random = new Random(seed);
      var target = object(random, 3);
      target.putObject("metadata").put("name", "a").set("annotations", object(random, 1));
      var patch = object(random, 3);
      var before = target.deepCopy();

      var copied = MergePatch.apply(target, patch);
      var shared = MergePatch.sharing(target, patch);

      assertThat(shared).as("seed %d", seed).isEqualTo(copied);
      assertThat(Wire.text(shared)).as("order, seed %d", seed).isEqualTo(Wire.text(copied));
      assertThat(target).as("stored, seed %d", seed).isEqualTo(before);
    }
  }

  @Test
  void a_part_that_the_patch_does_not_name_is_the_stored_one() {
    var target = Wire.tree("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"b\":1},\"status\":{}}");

    var patched = MergePatch.sharing(target, Wire.tree("{\"status\":{\"c\":2}}"));

    assertThat(patched.get("spec")).isSameAs(target.get("spec"));
    assertThat(patched.get("status")).isNotSameAs(target.get("status"));
    assertThat(patched.get("metadata")).isNotSameAs(target.get("metadata"));
  }

  private static ObjectNode object(Random random, int depth) {
    var object = Wire.object();
    for (var part : PARTS) {
      switch (random.nextInt(5)) {
        case 0 -> object.put(part, random.nextInt(3));
        case 1 -> object.putNull(part);
        case 2 -> object.putArray(part).add(random.nextInt(3)).addNull();
        case 3 -> {
          if (depth > 0) {
            object.set(part, object(random, depth - 1));
          }
        }
        default -> {} // not there
      }
    }
    return object;
  }
}
