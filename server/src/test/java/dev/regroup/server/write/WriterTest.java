package dev.regroup.server.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.schema.Schema;
import dev.regroup.client.Request;
import dev.regroup.server.access.Identity;
import dev.regroup.server.access.Superusers;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.RequestQuery;
import dev.regroup.server.wire.WriteParameters;
import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A write that others always overtake: it tries again, but not for ever. One that waits for the
 * disk: it holds no tree.
 */
@SuppressWarnings("NullAway.Init") // set before each test
class WriterTest {
  private static final Schema SCHEMA = Schema.of(Gates.product(), Decoding.LENIENT);
  private static final KindSet KINDS = new KindSet(Catalog.standard(), SCHEMA, SCHEMA);
  private static final ResourceType MAPS = KINDS.core("configmaps");

  private static final int PATIENCE_SECONDS = 60;

  @TempDir Path directory;
  private Store store;
  private ObjectStore objects;
  private Writer writer;
  private int tries;
  private volatile CountDownLatch disk = new CountDownLatch(0);
  private final CountDownLatch written = new CountDownLatch(1);

  @BeforeEach
  void open() throws Exception {
    store = Store.open(directory.resolve("store"), Settings.STANDARD.withSyncs(_ -> awaitDisk()));
    objects = new ObjectStore(store);
    var random = new Random(7);
    var clock = InstantSource.system();
    var admission = new Admission(AdmissionSettings.of(Gates.product()), SCHEMA, random);
    writer =
        new Writer(
            new Writer.Parts(
                objects,
                new AdmissionGate(objects, admission.with(List.of(), List.of()), WriteGuard.NONE),
                new Presenter(clock),
                new ServiceAddresses(objects, KINDS.core("services"), random),
                new FieldManagement(FieldManagement.Tracking.APPLIED, admission::filled, clock),
                new CreateRight(new Superusers()),
                clock,
                random));
    objects.create(
        MAPS,
        "default",
        Wire.tree("{\"metadata\":{\"name\":\"m\",\"namespace\":\"default\",\"uid\":\"u\"}}"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void a_patch_that_others_overtake_now_and_then_is_tried_again() throws Exception {
    var stored = change(5);

    assertThat(tries).isEqualTo(6);
    assertThat(stored.at("/data/mine").asText()).isEqualTo("6");
    assertThat(stored.at("/data/theirs").asText()).isEqualTo("5");
  }

  @Test
  void a_patch_that_others_always_overtake_ends_in_a_conflict() {
    assertThatThrownBy(() -> change(Integer.MAX_VALUE))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.code()).isEqualTo(409);
              assertThat(refused).hasMessageContaining("the object has been modified");
            });
    assertThat(tries).isEqualTo(Writer.CHANGE_ATTEMPTS);
  }

  @Test
  void who_waits_for_the_disk_holds_no_tree() throws Exception {
    var trees = new ConcurrentLinkedQueue<WeakReference<ObjectNode>>();
    var slow = new CountDownLatch(1);
    disk = slow;

    try (var writers = Executors.newSingleThreadExecutor()) {
      try {
        var change = writers.submit(() -> change(trees));
        assertThat(written.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

        assertThat(trees).hasSize(2);
        long deadline = System.nanoTime() + Duration.ofSeconds(PATIENCE_SECONDS).toNanos();
        while (trees.stream().anyMatch(tree -> tree.get() != null)) {
          assertThat(System.nanoTime()).as("a tree is held").isLessThan(deadline);
          System.gc();
        }
        slow.countDown();
        assertThat(change.get().at("/data/mine").asText()).isEqualTo("1");
      } finally {
        slow.countDown(); // the executor waits for whoever waits for the disk
      }
    }
  }

  /** Nothing but this reference holds on to what is read, and to what it becomes. */
  private ObjectNode change(Queue<WeakReference<ObjectNode>> trees) throws Exception {
    return change(read -> {
      var wanted = read.deepCopy();
      data(wanted).put("mine", "1");
      trees.add(new WeakReference<>(read));
      trees.add(new WeakReference<>(wanted));
      return wanted;
    });
  }

  /** The disk's thread: what it has written is shown when this returns. */
  private void awaitDisk() {
    var slow = disk;
    if (slow.getCount() == 0) {
      return;
    }
    written.countDown();
    try {
      slow.await();
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts the disk", e);
    }
  }

  /** Between reading and writing somebody else writes, so often. */
  private ObjectNode change(int others) throws Refused, InterruptedException {
    return change(read -> {
      tries++;
      if (tries <= others) {
        overtake();
      }
      var wanted = read.deepCopy();
      data(wanted).put("mine", "" + tries);
      return wanted;
    });
  }

  private ObjectNode change(Writer.Edit edit) throws Refused, InterruptedException {
    var request = Request.get("/api/v1/namespaces/default/configmaps/m", "");
    var call = Call.of(Identity.admin(), RequestInfo.of(request), request, KINDS);
    var options = WriteParameters.of(RequestQuery.parse(""), "PatchOptions");
    return ObjectStore.tree(writer.change(call, MAPS, Operation.UPDATE, options, edit));
  }

  private void overtake() throws Refused {
    var entry = objects.get(MAPS, "default", "m");
    var other = ObjectStore.tree(entry.value());
    data(other).put("theirs", "" + tries);
    try {
      objects.update(MAPS, entry, other);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static ObjectNode data(ObjectNode map) {
    return map.withObject("/data");
  }
}
