package dev.regroup.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.pod.RestartCycle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The record of a pod's restarts ends with its worker. */
@Timeout(30)
class CycleFileTest {

  @TempDir Path directory;

  private final NodeDisk disk = new NodeDisk();
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void end() {
    goOn.countDown();
    disk.stop();
  }

  @Test
  void closing_waits_for_a_preparation_that_was_begun() throws Exception {
    Path path = directory.resolve("pod").resolve("cycle");
    var file = new CycleFile(path, disk);
    file.open();
    keepTheDiskBusy();
    file.prepare();

    closeWhileItWaits(file);

    assertThat(path).exists();
  }

  @Test
  void closing_waits_for_a_write_whose_worker_was_interrupted() throws Exception {
    Path path = directory.resolve("pod").resolve("cycle");
    var file = new CycleFile(path, disk);
    file.open();
    keepTheDiskBusy();
    var worker =
        Thread.ofVirtual()
            .start(() -> {
              Thread.currentThread().interrupt();
              try {
                file.write(RestartCycle.FIRST);
              } catch (Exception e) {
                return; // interrupted
              }
            });
    worker.join();

    closeWhileItWaits(file);

    assertThat(path).exists();
  }

  private void closeWhileItWaits(CycleFile file) throws InterruptedException {
    var closing =
        Thread.ofVirtual()
            .start(() -> {
              try {
                file.close();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    assertThat(closing.join(Duration.ofMillis(20))).as("the disk is busy").isFalse();
    assertThat(Files.exists(directory.resolve("pod"))).isFalse();
    goOn.countDown();
    closing.join();
  }

  private void keepTheDiskBusy() {
    for (int i = 0; i < 16; i++) {
      var _ =
          disk.begin(() -> {
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
  }
}
