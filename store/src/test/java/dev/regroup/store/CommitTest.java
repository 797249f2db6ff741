package dev.regroup.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Group commit on a disk that waits or refuses when the test says so. */
class CommitTest {

  private final SlowFiles files = new SlowFiles(new ForgetfulFiles());
  private final ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void end() {
    writers.close();
  }

  @Test
  void many_writes_share_one_sync() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD)) {
      files.hold();
      var writes = new ArrayList<Future<WriteOutcome>>();
      writes.add(writers.submit(() -> store.create("pods", "a/first", StoreTest::stamped)));
      files.awaitHeld();
      var called = new AtomicInteger();
      for (int i = 0; i < 50; i++) {
        var key = "a/" + i;
        Encoder counting =
            revision -> {
              called.incrementAndGet();
              return StoreTest.stamped(revision);
            };
        writes.add(writers.submit(() -> store.create("pods", key, counting)));
      }
      Eventually.holds("all writers wait", () -> called.get() == 50);
      int before = files.forces();

      files.release();

      for (var write : writes) {
        StoreTest.committed(write.get());
      }
      assertThat(files.forces() - before).isEqualTo(2); // the one held, and one for the fifty
    }
  }

  @Test
  void nothing_is_seen_before_it_is_on_disk() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD);
        var cursor = store.watch("pods", 0)) {
      files.hold();
      var write = writers.submit(() -> store.create("pods", "a/x", StoreTest::stamped));
      files.awaitHeld();

      assertThat(store.get("pods", "a/x")).isEmpty();
      assertThat(store.list("pods", "")).isEqualTo(new Listing(0, List.of()));
      assertThat(cursor.next(Duration.ZERO)).isEqualTo(new CursorNews.Quiet(0));
      assertThat(write.isDone()).isFalse();

      files.release();
      StoreTest.committed(write.get());
      assertThat(store.get("pods", "a/x")).isPresent();
      assertThat(((Change) cursor.next(Duration.ZERO)).revision()).isEqualTo(1);
    }
  }

  @Test
  void a_write_is_checked_against_earlier_ones_that_are_not_on_disk_yet() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD)) {
      files.hold();
      var create = writers.submit(() -> store.create("pods", "a/x", StoreTest::stamped));
      files.awaitHeld();
      var encoded = new AtomicInteger();
      Encoder counting =
          revision -> {
            encoded.incrementAndGet();
            return StoreTest.stamped(revision);
          };
      var update = writers.submit(() -> store.update("pods", "a/x", 1, counting));
      Eventually.holds("the update was accepted", () -> encoded.get() == 1);
      var late = writers.submit(() -> store.create("pods", "a/x", StoreTest::stamped));

      files.release();

      assertThat(StoreTest.committed(create.get()).revision()).isEqualTo(1);
      assertThat(StoreTest.committed(update.get()).revision()).isEqualTo(2);
      assertThat(late.get()).isInstanceOf(WriteOutcome.Exists.class);
    }
  }

  @Test
  void two_writers_that_expect_the_same_revision_are_told_apart() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD)) {
      StoreTest.committed(store.create("pods", "a/x", StoreTest::stamped));
      files.hold();
      var other = writers.submit(() -> store.create("pods", "a/other", StoreTest::stamped));
      files.awaitHeld();
      var writes = new ArrayList<Future<WriteOutcome>>();
      for (int i = 0; i < 20; i++) {
        writes.add(writers.submit(() -> store.update("pods", "a/x", 1, StoreTest::stamped)));
      }

      files.release();

      int won = 0;
      for (var write : writes) {
        switch (write.get()) {
          case WriteOutcome.Committed(Entry entry) -> {
            assertThat(entry.revision()).isEqualTo(3);
            won++;
          }
          case WriteOutcome.Changed(Entry current) -> assertThat(current.revision()).isEqualTo(3);
          case WriteOutcome.Exists _, WriteOutcome.Missing _ ->
              throw new AssertionError("not asked for");
        }
      }
      assertThat(won).isEqualTo(1);
      StoreTest.committed(other.get());
    }
  }

  @Test
  void when_the_disk_refuses_writers_are_told_and_readers_go_on() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD.withPause(Duration.ofHours(1)))) {
      StoreTest.committed(store.create("pods", "a/x", StoreTest::stamped));
      files.refuse("Input/output error");

      assertThatThrownBy(() -> store.create("pods", "a/y", StoreTest::stamped))
          .isInstanceOf(DiskRefused.class)
          .hasMessageContaining("Input/output error")
          .hasRootCauseInstanceOf(IOException.class);
      files.refuse("");
      assertThatThrownBy(() -> store.create("pods", "a/z", StoreTest::stamped))
          .as("nobody asks the disk during the pause")
          .isInstanceOf(DiskRefused.class)
          .hasMessageContaining("Input/output error");
      assertThat(store.get("pods", "a/x")).isPresent();
      assertThat(store.get("pods", "a/y")).isEmpty();
      assertThat(store.revision()).isEqualTo(1);
    }
    try (var store = Store.open(files, Settings.STANDARD)) {
      StoreTest.committed(store.create("pods", "a/z", StoreTest::stamped));
    }
  }

  @Test
  void closing_finishes_the_writes_under_way() throws Exception {
    var store = Store.open(files, Settings.STANDARD);
    files.hold();
    var write = writers.submit(() -> store.create("pods", "a/x", StoreTest::stamped));
    files.awaitHeld();
    var closing = writers.submit(store::close);

    files.release();

    closing.get();
    StoreTest.committed(write.get());
  }

  /** Real behaviour of the files below, with a gate before each sync. */
  private static final class SlowFiles implements FileLayer {
    private final FileLayer files;
    private final Semaphore gate = new Semaphore(1_000_000);
    private final Semaphore held = new Semaphore(0);
    private final AtomicInteger forces = new AtomicInteger();
    private volatile boolean holding;
    private volatile String refusal = "";

    private SlowFiles(FileLayer files) {
      this.files = files;
    }

    private void hold() {
      gate.drainPermits();
      holding = true;
    }

    private void awaitHeld() throws InterruptedException {
      assertThat(held.tryAcquire(20, TimeUnit.SECONDS)).as("a sync is held").isTrue();
    }

    private void release() {
      holding = false;
      gate.release(1_000_000);
    }

    /** Gives up in time, so that a test that failed while holding can close its store. */
    private void pass() throws IOException {
      try {
        if (!gate.tryAcquire(60, TimeUnit.SECONDS)) {
          throw new IOException("held for too long");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    private void refuse(String reason) {
      refusal = reason;
    }

    private int forces() {
      return forces.get();
    }

    @Override
    public String place() {
      return files.place();
    }

    @Override
    public List<String> list() throws IOException {
      return files.list();
    }

    @Override
    public long size(String name) throws IOException {
      return files.size(name);
    }

    @Override
    public InputStream read(String name) throws IOException {
      return files.read(name);
    }

    @Override
    public Output create(String name) throws IOException {
      return gated(files.create(name));
    }

    @Override
    public Output resume(String name, long length) throws IOException {
      return gated(files.resume(name, length));
    }

    @Override
    public void rename(String from, String to) throws IOException {
      files.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
      files.delete(name);
    }

    @Override
    public void forceDirectory() throws IOException {
      files.forceDirectory();
    }

    @Override
    public void close() throws IOException {
      files.close();
    }

    private Output gated(Output output) {
      return new Output() {
        @Override
        public void append(ByteBuffer bytes) throws IOException {
          if (!refusal.isEmpty()) {
            throw new IOException(refusal);
          }
          output.append(bytes);
        }

        @Override
        public void force() throws IOException {
          if (holding) {
            held.release();
          }
          pass();
          forces.incrementAndGet();
          output.force();
        }

        @Override
        public long room() {
          return output.room();
        }

        @Override
        public void reserve(long bytes) throws IOException {
          output.reserve(bytes);
        }

        @Override
        public void cut(long length) throws IOException {
          output.cut(length);
        }

        @Override
        public void close() throws IOException {
          output.close();
        }
      };
    }
  }
}
