package dev.regroup.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PodTableTest {

  private static final int STATUS = 2;

  @Test
  void a_pod_that_a_rule_lets_succeed_is_completed_whatever_its_containers_say() {
    assertThat(status("Succeeded", "{\"exitCode\":42,\"reason\":\"Error\"}"))
        .isEqualTo("Completed");
    assertThat(status("Succeeded", "{\"exitCode\":0,\"reason\":\"Completed\"}"))
        .isEqualTo("Completed");
  }

  @Test
  void a_pod_that_failed_shows_why() {
    assertThat(status("Failed", "{\"exitCode\":42,\"reason\":\"Error\"}")).isEqualTo("Error");
    assertThat(status("Failed", "{\"exitCode\":137,\"reason\":\"OOMKilled\"}"))
        .isEqualTo("OOMKilled");
  }

  private static Object status(String phase, String terminated) {
    var pod = Wire.object();
    pod.putObject("metadata").put("name", "p");
    pod.putObject("spec").putArray("containers").addObject().put("name", "c");
    var status = pod.putObject("status").put("phase", phase);
    status
        .putArray("containerStatuses")
        .addObject()
        .put("name", "c")
        .putObject("state")
        .set("terminated", Wire.tree(terminated));
    return String.valueOf(new PodTable().cells(pod, Instant.EPOCH).get(STATUS));
  }
}
