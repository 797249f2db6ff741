package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The house stays in order: rooms one can hold in the head, no circles, one name for one thing. */
class HouseTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final int CLASSES_IN_A_ROOM = 30;

  /** Names that may stand twice, each with the reason. */
  private static final Map<String, String> MAY_STAND_TWICE = Map.of();

  @Test
  void no_package_reaches_itself_through_others_of_its_module() throws IOException {
    assertThat(House.under(ROOT).cycles()).isEmpty();
  }

  @Test
  void a_class_name_means_one_thing() throws IOException {
    var twice = House.under(ROOT).namesTwice();

    twice.keySet().removeAll(MAY_STAND_TWICE.keySet());
    assertThat(twice).isEmpty();
  }

  @Test
  void every_package_names_the_class_to_read_first() throws IOException {
    var house = House.under(ROOT);

    assertThat(house.packages()).isGreaterThan(50);
    assertThat(house.withoutAFirstClass())
        .as("package-info without \"Start reading at {@link TheClass}\"")
        .isEmpty();
  }

  @Test
  void no_package_holds_more_classes_than_a_person_can() throws IOException {
    assertThat(House.under(ROOT).largerThan(CLASSES_IN_A_ROOM)).isEmpty();
  }

  @Test
  void sees_a_circle_a_name_twice_and_a_room_without_a_door() {
    var house = new House();
    house.read("A", "package dev.regroup.m.one;\nimport dev.regroup.m.two.B;\nclass A {}");
    house.read("B", "package dev.regroup.m.two;\nclass B { dev.regroup.m.three.C c; }");
    house.read("C", "package dev.regroup.m.three;\nimport static dev.regroup.m.one.A.x;\n");
    house.read("A", "package dev.regroup.other;\nimport dev.regroup.m.one.A;\n");
    house.read("package-info", "/**\n * Words. Start\n * reading at {@link A}.\n */\n" + one());
    house.read("package-info", "/** Start reading at {@link B}. */\npackage dev.regroup.m.three;");

    assertThat(house.cycles())
        .containsExactly(
            "dev.regroup.m.one uses dev.regroup.m.two",
            "dev.regroup.m.three uses dev.regroup.m.one",
            "dev.regroup.m.two uses dev.regroup.m.three");
    assertThat(house.namesTwice())
        .isEqualTo(Map.of("A", List.of("dev.regroup.m.one", "dev.regroup.other")));
    assertThat(house.withoutAFirstClass())
        .containsExactly("dev.regroup.m.three", "dev.regroup.m.two", "dev.regroup.other");
    assertThat(house.largerThan(0)).contains("dev.regroup.m.one: 1");
  }

  @Test
  void a_link_in_a_comment_is_no_circle() {
    var house = new House();
    house.read("A", "package dev.regroup.m.one;\nimport dev.regroup.m.two.B;\nclass A {}");
    house.read(
        "B", "package dev.regroup.m.two;\n/** Like {@link dev.regroup.m.one.A}. */ class B {}");

    assertThat(house.cycles()).isEmpty();
  }

  private static String one() {
    return "package dev.regroup.m.one;";
  }
}
