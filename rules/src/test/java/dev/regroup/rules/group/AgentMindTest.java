package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.AgentMind.Reason;
import dev.regroup.rules.group.AgentMind.Self;
import dev.regroup.rules.group.AgentMind.Worker;
import dev.regroup.rules.group.GroupOrders.Knowledge;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One mind for every agent: each row of jobset.md 7.4, then every combination there is. */
class AgentMindTest {

  private static final int NONE = -1;
  private static final int HIGHEST = 3;

  /** "-" means none; a worker that has started is marked by "!" behind the attempt. */
  @ParameterizedTest
  @Rule({"JS-127", "JS-129", "JS-132a", "JS-143", "JS-165", "JS-165a", "JS-165b"})
  @CsvSource(
      delimiter = '|',
      useHeadersInDisplayName = true,
      textBlock =
          """
          knows    | current | previous | own | does
          KNOWN    | -       | -        | -   | arrive 0
          KNOWN    | 0       | -        | -   | arrive 1
          KNOWN    | 2       | 2        | -   | arrive 3
          KNOWN    | -       | -        | 0   | hold for the others
          KNOWN    | 0       | -        | 0   | run
          KNOWN    | 0       | -        | 0!  | run
          KNOWN    | 0       | -        | 1   | hold for the others
          KNOWN    | 0       | 0        | 0!  | restart 0 to 1
          KNOWN    | 0       | 0        | 0   | restart 0 to 1
          KNOWN    | 0       | 0        | 1   | hold for the others
          KNOWN    | 1       | 0        | 1   | run
          KNOWN    | 3       | 2        | 1!  | restart 1 to 4
          KNOWN    | 1       | -        | 2!  | run
          UNKNOWN  | -       | -        | -   | hold for news
          UNKNOWN  | -       | -        | 1   | hold for news
          UNKNOWN  | -       | -        | 1!  | run
          BYPASS   | -       | -        | -   | run
          BYPASS   | -       | -        | 2   | run
          """)
  void an_agent_does(String knows, String current, String previous, String own, String does) {
    var orders = new GroupOrders(Knowledge.valueOf(knows), number(current), number(previous));
    var worker = own.endsWith("!") ? Worker.STARTED : Worker.WAITS;
    var self = new Self(number(own.replace("!", "")), 0, worker);

    assertThat(words(AgentMind.of(orders, self))).isEqualTo(does);
  }

  private static String words(AgentMind mind) {
    return switch (mind) {
      case AgentMind.Hold(Reason reason) ->
          switch (reason) {
            case NEWS -> "hold for news";
            case THE_OTHERS -> "hold for the others";
          };
      case AgentMind.Arrive(int attempt) -> "arrive " + attempt;
      case AgentMind.Run() -> "run";
      case AgentMind.Restart(int from, int to) -> "restart " + from + " to " + to;
    };
  }

  private record Case(GroupOrders orders, Self self) {
    boolean knows() {
      return orders.knowledge() == Knowledge.KNOWN;
    }

    /** The own attempt, or one below all others. */
    int own() {
      return self.attempt().orElse(NONE);
    }

    boolean ordered() {
      return own() != NONE && orders.previous().orElse(NONE) >= own();
    }
  }

  private static List<Case> everyCase() {
    var cases = new ArrayList<Case>();
    for (var knowledge : Knowledge.values()) {
      for (int current = NONE; current <= HIGHEST; current++) {
        for (int previous = NONE; previous <= HIGHEST; previous++) {
          for (int own = NONE; own <= HIGHEST; own++) {
            for (int floor = 0; floor <= HIGHEST; floor++) {
              for (var worker : Worker.values()) {
                cases.add(
                    new Case(
                        new GroupOrders(knowledge, optional(current), optional(previous)),
                        new Self(optional(own), floor, worker)));
              }
            }
          }
        }
      }
    }
    return cases;
  }

  /** Of every answer: exactly when it is given. */
  @Test
  @Rule({"JS-127", "JS-165", "JS-165a", "JS-165b"})
  void every_combination_has_the_answer_of_the_rules() {
    assertThat(everyCase())
        .hasSize(3 * 5 * 5 * 5 * 4 * 2)
        .allSatisfy(one -> {
          var mind = AgentMind.of(one.orders(), one.self());
          boolean bypass = one.orders().knowledge() == Knowledge.BYPASS;
          boolean started = one.self().worker() == Worker.STARTED;
          boolean arrived = one.own() != NONE;
          boolean current = arrived && one.orders().current().orElse(NONE) == one.own();
          boolean unknown = one.orders().knowledge() == Knowledge.UNKNOWN;

          assertThat(mind instanceof AgentMind.Arrive).isEqualTo(one.knows() && !arrived);
          assertThat(mind instanceof AgentMind.Restart).isEqualTo(one.knows() && one.ordered());
          boolean goesOn = arrived && !one.ordered() && (started || current);
          assertThat(mind instanceof AgentMind.Run)
              .isEqualTo(bypass || (unknown && started) || (one.knows() && goesOn));
          assertThat(mind.equals(new AgentMind.Hold(Reason.NEWS))).isEqualTo(unknown && !started);
        });
  }

  /** JS-139: old orders never lead back, and a restart never promises an attempt that is taken. */
  @Test
  @Rule({"JS-120", "JS-139", "JS-165"})
  void nobody_goes_back() {
    assertThat(everyCase())
        .allSatisfy(one -> {
          int after = one.orders().current().orElse(NONE) + 1;
          switch (AgentMind.of(one.orders(), one.self())) {
            case AgentMind.Arrive(int attempt) ->
                assertThat(attempt).isEqualTo(Math.max(after, one.self().floor()));
            case AgentMind.Restart(int from, int to) -> {
              assertThat(from).isEqualTo(one.own());
              assertThat(to).isEqualTo(Math.max(after, one.self().floor()));
            }
            case AgentMind.Hold _, AgentMind.Run _ -> {}
          }
        });
  }

  /** A whole life: first start, failure of somebody else, own failure at the barrier. */
  @Test
  @Rule({"JS-110", "JS-132a", "JS-137"})
  void an_agent_that_stays_remembers_where_it_was() {
    var arrived = Self.NEW.arrived(4);

    assertThat(arrived).isEqualTo(new Self(OptionalInt.of(4), 0, Worker.WAITS));
    assertThat(arrived.left()).isEqualTo(new Self(OptionalInt.empty(), 4, Worker.WAITS));
    assertThat(arrived.running().left()).isEqualTo(new Self(OptionalInt.empty(), 5, Worker.WAITS));
    assertThat(arrived.left().left()).isEqualTo(arrived.left());
    assertThat(AgentMind.of(orders(3, 3), arrived.left())).isEqualTo(new AgentMind.Arrive(4));
    assertThat(AgentMind.of(orders(3, 3), arrived.running().left()))
        .isEqualTo(new AgentMind.Arrive(5));
  }

  @Test
  @Rule("RAC-54")
  void every_order_begins_a_new_spell() {
    assertThat(GroupOrders.UNKNOWN.spell()).isEqualTo("UNKNOWN");
    assertThat(GroupOrders.BYPASS.spell()).isEqualTo("BYPASS");
    assertThat(GroupOrders.of(Barrier.UNSET).spell()).isEqualTo("-1/-1");
    assertThat(orders(3, 2).spell()).isEqualTo("3/2");
  }

  private static GroupOrders orders(int current, int previous) {
    return GroupOrders.of(optional(current), optional(previous));
  }

  private static OptionalInt number(String text) {
    return text.equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
  }

  private static OptionalInt optional(int number) {
    return number == NONE ? OptionalInt.empty() : OptionalInt.of(number);
  }
}
