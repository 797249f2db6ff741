package dev.regroup.e2e;

import static dev.regroup.e2e.AgentWorld.ATTEMPT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent begins with decides which attempt it takes, so it must not be of the past. */
class AgentFirstReadIT {

  @TempDir Path folder;

  /** AS-68, JS-139: 5 is right; the cache knows a group that has not begun. */
  @Test
  void a_cache_that_lags_hands_out_no_attempt_of_the_past() throws Exception {
    try (var world = AgentWorld.open(folder)) {
      world.jobSet("js");
      world.pod("p");
      var past = world.kube().text(Workers.JOB_SETS, "").getBytes(UTF_8);
      world.order("js", "{\"previousInPlaceRestartAttempt\":4,\"currentInPlaceRestartAttempt\":4}");
      world.listenAt(folder.resolve("server.sock"));

      try (var cache =
          new LaggingCache(folder.resolve("cache.sock"), folder.resolve("server.sock"), past)) {
        assertThat(cache).isNotNull();
        world.agentThrough(folder.resolve("cache.sock"), "js", "p");

        world.awaitAnnotation("p", ATTEMPT, "5");
      }
    }
  }
}
