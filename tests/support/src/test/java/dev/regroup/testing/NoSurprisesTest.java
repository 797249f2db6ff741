package dev.regroup.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A careless test is found out, an announcement is believed. */
class NoSurprisesTest {

  private static List<String> results = List.of();

  @BeforeAll
  static void run_the_careless_ones() throws IOException, InterruptedException {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED",
                "-Djunit.jupiter.extensions.autodetection.enabled=true",
                "-Dcareless=true",
                "-Dpatience=PT0.2S",
                "-cp",
                System.getProperty("java.class.path"),
                Careless.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    results =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void an_error_line_fails_the_test() {
    assertThat(results)
        .contains(
            "logs() FAILED not announced with @ExpectsError:"
                + "   part it broke java.lang.IllegalStateException: planted");
  }

  @Test
  void an_error_line_of_the_platform_fails_the_test() {
    assertThat(results)
        .contains(
            "speaks_to_the_platform() FAILED not announced with @ExpectsError:"
                + "   part the platform broke");
  }

  @Test
  void an_uncaught_exception_fails_the_test() {
    assertThat(results)
        .contains(
            "throws_on_another_thread() FAILED not announced with @ExpectsError:"
                + "   uncaught in other: java.lang.IllegalStateException: planted");
  }

  @Test
  void a_warning_does_not() {
    assertThat(results).contains("warns() SUCCESSFUL ");
  }

  @Test
  void a_thread_left_behind_fails_the_class() {
    assertThat(results)
        .anyMatch(
            line -> line.matches("Careless\\.?\\$?VirtualLeak FAILED left behind.*forgotten.*"))
        .anyMatch(line -> line.matches(".*PlatformLeak FAILED left behind.*forgotten-too.*"));
  }

  @Test
  void what_is_announced_is_no_surprise() {
    assertThat(results)
        .contains("logs() SUCCESSFUL ")
        .anyMatch(l -> l.matches(".*Announced SUCC.*"));
  }
}
