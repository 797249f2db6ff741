package dev.regroup.testing;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.slf4j.LoggerFactory;

/** Tests that would pass without {@link NoSurprises}, run in a JVM of their own. */
final class Careless {

  private Careless() {}

  /** Prints a line per test and class: its name, how it ended and the first lines of why. */
  public static void main(String[] arguments) {
    var request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                DiscoverySelectors.selectClass(Lines.class),
                DiscoverySelectors.selectClass(VirtualLeak.class),
                DiscoverySelectors.selectClass(PlatformLeak.class),
                DiscoverySelectors.selectClass(Announced.class))
            .build();
    LauncherFactory.create().execute(request, new Printer());
    System.exit(0);
  }

  private static final class Printer implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      var why = result.getThrowable().map(Throwable::getMessage).orElse("");
      System.out.printf(
          "%s %s %s%n", test.getDisplayName(), result.getStatus(), why.replace('\n', ' '));
    }
  }

  @EnabledIfSystemProperty(named = "careless", matches = "true")
  static class Lines {
    @Test
    void logs() {
      LoggerFactory.getLogger("part").error("{} broke", "it", new IllegalStateException("planted"));
    }

    @Test
    void speaks_to_the_platform() {
      System.getLogger("part").log(System.Logger.Level.ERROR, "the platform broke");
    }

    @Test
    void throws_on_another_thread() throws InterruptedException {
      var thread = Thread.ofVirtual().name("other").start(Lines::fail);
      thread.join();
    }

    @Test
    void warns() {
      LoggerFactory.getLogger("part").warn("only a warning");
    }

    private static void fail() {
      throw new IllegalStateException("planted");
    }
  }

  @EnabledIfSystemProperty(named = "careless", matches = "true")
  static class VirtualLeak {
    @Test
    void leaves() {
      Thread.ofVirtual().name("forgotten").start(LockSupport::park);
    }
  }

  @EnabledIfSystemProperty(named = "careless", matches = "true")
  static class PlatformLeak {
    @Test
    void leaves() {
      Thread.ofPlatform().daemon().name("forgotten-too").start(LockSupport::park);
    }
  }

  @ExpectsThread(value = "known-.*", because = "it is planted")
  @EnabledIfSystemProperty(named = "careless", matches = "true")
  static class Announced {
    @Test
    @ExpectsError(value = "part it broke .*planted", because = "it is planted")
    void logs() {
      new Lines().logs();
    }

    @Test
    void leaves() {
      Thread.ofPlatform().daemon().name("known-1").start(LockSupport::park);
    }
  }
}
