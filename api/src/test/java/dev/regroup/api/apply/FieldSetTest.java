package dev.regroup.api.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.api.Wire;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FieldSetTest {

  private static final String WIRE =
      "{\"f:a\":{\".\":{},\"f:b\":{}},"
          + "\"f:c\":{\"k:{\\\"n\\\":1,\\\"p\\\":\\\"T\\\"}\":{\".\":{},\"f:n\":{}}},"
          + "\"f:d\":{\"v:\\\"x\\\"\":{}}}";

  @Test
  void is_written_as_it_was_read() throws BadFields {
    assertThat(FieldSet.read(Wire.tree(WIRE)).write().toString()).isEqualTo(WIRE);
  }

  @Test
  void keys_have_one_spelling() throws BadFields {
    var spaced = "{\"f:c\":{\"k:{ \\\"p\\\":\\\"T\\\", \\\"n\\\": 1}\":{}}}";

    assertThat(FieldSet.read(Wire.tree(spaced)).write().toString())
        .isEqualTo("{\"f:c\":{\"k:{\\\"n\\\":1,\\\"p\\\":\\\"T\\\"}\":{}}}");
  }

  @Test
  void paths_are_printed_as_kubernetes_prints_them() throws BadFields {
    assertThat(FieldSet.read(Wire.tree(WIRE)).paths())
        .containsExactly(".a", ".a.b", ".c[n=1,p=\"T\"]", ".c[n=1,p=\"T\"].n", ".d[=\"x\"]");
  }

  @Test
  void what_is_no_set_is_refused() {
    for (var text : List.of("{\"x\":{}}", "{\"f:a\":1}", "{\"k:{\":{}}", "{\"i:x\":{}}")) {
      assertThatThrownBy(() -> FieldSet.read(Wire.tree(text))).isInstanceOf(BadFields.class);
    }
  }

  @Test
  void operations_are_those_of_sets_of_paths() throws BadFields {
    for (int seed = 0; seed < 2_000; seed++) {
      var random = new Random(seed);
      var a = paths(random);
      var b = paths(random);
      var left = set(a);
      var right = set(b);

      assertThat(plain(left.union(right))).as("seed %d", seed).isEqualTo(union(a, b));
      assertThat(plain(left.intersection(right))).as("seed %d", seed).isEqualTo(common(a, b));
      assertThat(plain(left.minus(right))).as("seed %d", seed).isEqualTo(rest(a, b));
      assertThat(plain(left.outside(right))).as("seed %d", seed).isEqualTo(outside(a, b));
      assertThat(FieldSet.read(left.write())).as("seed %d", seed).isEqualTo(left);
    }
  }

  private static Set<List<String>> paths(Random random) {
    var paths = new HashSet<List<String>>();
    for (int i = random.nextInt(6); i > 0; i--) {
      var path = new ArrayList<String>();
      for (int depth = 1 + random.nextInt(3); depth > 0; depth--) {
        path.add(List.of("f:a", "f:b", "v:1").get(random.nextInt(3)));
      }
      paths.add(path);
    }
    return paths;
  }

  @SuppressWarnings("unchecked")
  private static FieldSet set(Set<List<String>> paths) {
    return FieldSet.of(paths.toArray(List[]::new));
  }

  private static Set<String> plain(FieldSet set) {
    return new TreeSet<>(set.paths());
  }

  private static Set<String> text(Set<List<String>> paths) {
    return plain(set(paths));
  }

  private static Set<String> union(Set<List<String>> a, Set<List<String>> b) {
    var all = new HashSet<>(a);
    all.addAll(b);
    return text(all);
  }

  private static Set<String> common(Set<List<String>> a, Set<List<String>> b) {
    var both = new HashSet<>(a);
    both.retainAll(b);
    return text(both);
  }

  private static Set<String> rest(Set<List<String>> a, Set<List<String>> b) {
    var rest = new HashSet<>(a);
    rest.removeAll(b);
    return text(rest);
  }

  private static Set<String> outside(Set<List<String>> a, Set<List<String>> b) {
    var rest = new HashSet<>(a);
    rest.removeIf(path ->
        b.stream()
            .anyMatch(
                root -> root.size() <= path.size() && path.subList(0, root.size()).equals(root)));
    return text(rest);
  }
}
