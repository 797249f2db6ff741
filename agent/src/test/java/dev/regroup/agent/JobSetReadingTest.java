package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.agent.AgentConfig.Place;
import dev.regroup.rules.group.GroupOrders;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobSetReadingTest {

  private static final Place ANY = new Place("n", "js", "", "p");
  private static final String IN_PLACE =
      "\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}";

  /** JS-150, JS-153: the released pair, else the draft pair, else the first start. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "                                                                        | - | -",
        "\"syncedEpoch\":0,\"deprecatedEpoch\":0                                 | - | -",
        "\"currentInPlaceRestartAttempt\":0                                      | 0 | -",
        "\"currentInPlaceRestartAttempt\":2,\"previousInPlaceRestartAttempt\":2  | 2 | 2",
        "\"syncedEpoch\":4,\"deprecatedEpoch\":3                                 | 3 | 2",
        "\"currentInPlaceRestartAttempt\":5,\"syncedEpoch\":2                    | 5 | -"
      })
  void orders_are_read_under_both_sets_of_names(String status, Integer current, Integer previous)
      throws Exception {
    var orders =
        orders("{\"spec\":{" + IN_PLACE + "},\"status\":{" + (status == null ? "" : status) + "}}");

    assertThat(orders).isEqualTo(GroupOrders.of(optional(current), optional(previous)));
  }

  /** JS-127 step 1, JS-37. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"spec\":{}}",
        "{\"spec\":{\"failurePolicy\":{\"restartStrategy\":\"Recreate\"}}}",
        "{\"metadata\":{\"annotations\":{\"jobset.sigs.k8s.io/disable-in-place-restart\":\"\"}},"
            + "\"spec\":{\"failurePolicy\":{\"restartStrategy\":\"InPlaceRestart\"}}}"
      })
  void a_jobset_without_a_barrier_lets_everybody_run(String jobSet) throws Exception {
    assertThat(orders(jobSet)).isEqualTo(GroupOrders.BYPASS);
  }

  /** JS-144. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\"}]}",
        "\"status\":{\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\"}]}",
        "\"metadata\":{\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"}"
      })
  void what_a_finished_jobset_says_is_no_order(String end) throws Exception {
    assertThat(orders("{\"spec\":{" + IN_PLACE + "}," + end + "}")).isEqualTo(GroupOrders.UNKNOWN);
  }

  @Test
  void a_condition_that_does_not_hold_ends_nothing() throws Exception {
    String open = "\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"False\"}]}";

    assertThat(orders("{\"spec\":{" + IN_PLACE + "}," + open + "}"))
        .isEqualTo(GroupOrders.of(OptionalInt.empty(), OptionalInt.empty()));
  }

  /** JS-149. */
  @Test
  void another_jobset_of_the_name_is_not_heard() throws Exception {
    var mine = new Place("n", "js", "u-1", "p");
    String other = "{\"metadata\":{\"uid\":\"u-2\"},\"spec\":{" + IN_PLACE + "}}";

    assertThat(JobSetReading.orders(tree(other), mine)).isEqualTo(GroupOrders.UNKNOWN);
    assertThat(JobSetReading.orders(tree(other.replace("u-2", "u-1")), mine).knowledge())
        .isEqualTo(GroupOrders.Knowledge.KNOWN);
    assertThat(JobSetReading.orders(null, ANY)).isEqualTo(GroupOrders.UNKNOWN);
  }

  private static GroupOrders orders(String jobSet) throws Exception {
    return JobSetReading.orders(tree(jobSet), ANY);
  }

  private static Object tree(String json) throws Exception {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return JsonScan.object(bytes, bytes.length, JobSetReading.SKIPPED);
  }

  private static OptionalInt optional(Integer number) {
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }
}
