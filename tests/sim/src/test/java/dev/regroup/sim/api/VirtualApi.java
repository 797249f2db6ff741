package dev.regroup.sim.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.pod.PodStatusGuard;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.tree.Owner;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError.Reason;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a cluster with the manners of a Kubernetes API server: every write makes a new
 * revision, a write from an old one conflicts, deletion waits for grace and finalizers, watches are
 * told in order. New objects pass the product's own admission, what nodes report its guard. Knows
 * one namespace.
 *
 * <p>Calls are carried out at once; what makes them late or lost is the {@link Line} they come by.
 */
public final class VirtualApi {

  public static final String NAMESPACE = "ns";
  private static final String FOREGROUND = "foregroundDeletion";
  // One for all worlds: the suffix it draws for a volume's name is the same for every pod.
  private static final Admission ADMISSION =
      new Admission(AdmissionSettings.of(Gates.product()), () -> 0);
  private static final PodStatusGuard GUARD = new PodStatusGuard(Gates.product());

  /** Told after every write, before any watch: the place for invariants. */
  public interface Witness {
    void wrote(@Nullable Stored before, @Nullable Stored after);
  }

  private final Simulation sim;
  private final Map<Kind, TreeMap<String, Stored>> objects = new EnumMap<>(Kind.class);
  private final Map<Kind, List<VirtualWatch>> watches = new EnumMap<>(Kind.class);
  private final List<Witness> witnesses = new ArrayList<>();
  private long version = 1;
  private int made;
  private long upAt;

  public VirtualApi(Simulation sim) {
    this.sim = sim;
    for (var kind : Kind.values()) {
      objects.put(kind, new TreeMap<>());
      watches.put(kind, new ArrayList<>());
    }
  }

  public void witness(Witness witness) {
    witnesses.add(witness);
  }

  void watch(Kind kind, VirtualWatch watch) {
    watches.get(kind).add(watch);
  }

  /** Nobody is answered for this time, and every watch breaks. */
  public void goDown(long millis) {
    upAt = Math.max(upAt, sim.millis() + millis);
    watches.values().forEach(all -> all.forEach(VirtualWatch::breakOff));
  }

  boolean up() {
    return sim.millis() >= upAt;
  }

  // ---- reading ---------------------------------------------------------------------------------

  public Optional<Stored> get(Kind kind, String name) {
    return Optional.ofNullable(objects.get(kind).get(name));
  }

  public List<Stored> list(Kind kind) {
    return List.copyOf(objects.get(kind).values());
  }

  public List<Stored> ownedBy(Kind kind, String uid) {
    return list(kind).stream()
        .filter(one -> Owner.controller(one.tree()).filter(o -> o.uid().equals(uid)).isPresent())
        .toList();
  }

  // ---- writing ---------------------------------------------------------------------------------

  public Stored create(Kind kind, ObjectNode wanted) {
    var object = draft(wanted);
    var metadata = object.withObjectProperty("metadata");
    made++;
    if (!metadata.has("name")) {
      var suffix = Integer.toString(made + 36 * 36 * 36, 36);
      metadata.put("name", metadata.path("generateName").asText() + suffix);
    }
    var name = metadata.path("name").asText();
    if (objects.get(kind).containsKey(name)) {
      throw new ApiError(Reason.ALREADY_EXISTS, name);
    }
    metadata.put("uid", "00000000-0000-4000-8000-%012d".formatted(made));
    metadata.put("creationTimestamp", seconds());
    if (kind != Kind.NODE) {
      metadata.put("namespace", NAMESPACE);
      object = admit(new Review(kind.type(), Operation.CREATE, object, null));
    }
    return store(null, kind, object);
  }

  /** A JSON merge patch of everything but the status; a uid or a revision in it must fit. */
  public Stored patch(Kind kind, String name, JsonNode patch) {
    var old = expect(kind, name, patch);
    var object = merged(old.tree(), patch);
    if (!object.path("spec").equals(old.tree().path("spec"))) {
      var metadata = object.withObjectProperty("metadata");
      metadata.put("generation", metadata.path("generation").asLong(0) + 1);
    }
    return store(old, kind, object);
  }

  /** A JSON merge patch of the status; on pods of annotations too, as Regroup's node writes. */
  public Stored patchStatus(Kind kind, String name, JsonNode patch) {
    var old = expect(kind, name, patch);
    var object = merged(old.tree(), patch);
    return store(old, kind, object);
  }

  /** As a node writes the status of a pod: its own conditions are all there, others' stay. */
  public Stored reportStatus(String name, ObjectNode patch, Set<String> ownConditions) {
    var old = expect(Kind.POD, name, patch);
    var conditions = Wire.object().arrayNode();
    patch.path("status").path("conditions").forEach(conditions::add);
    for (var condition : old.tree().path("status").path("conditions")) {
      if (!ownConditions.contains(condition.path("type").asText())) {
        conditions.add(condition);
      }
    }
    var status = copy(patch.path("status"));
    status.set("conditions", conditions);
    var object = draft(old.tree());
    object.set("metadata", merged(old.tree().path("metadata"), patch.path("metadata")));
    object.set("status", status);
    var errors = GUARD.check(object, old.tree());
    if (!errors.isEmpty()) {
      throw new ApiError(Reason.INVALID, errors.toString());
    }
    return store(old, Kind.POD, object);
  }

  /** How an object goes. */
  public enum Deletion {
    /** With the object's own grace. */
    GRACEFUL,
    NOW,
    /** Its dependents go first. */
    FOREGROUND
  }

  /** Returns whether there was such an object. */
  public boolean delete(Kind kind, String name, String uid, Deletion how) {
    var found = get(kind, name);
    if (found.isEmpty()) {
      return false;
    }
    var old = found.get();
    if (!old.uid().equals(uid)) {
      throw new ApiError(Reason.CONFLICT, "another " + name);
    }
    long grace = kind == Kind.POD ? grace(old, how) : 0;
    var object = draft(old.tree());
    var metadata = object.withObjectProperty("metadata");
    if (how == Deletion.FOREGROUND && !finalizers(object).contains(FOREGROUND)) {
      var held = finalizers(object);
      held.add(FOREGROUND);
      held.forEach(metadata.putArray("finalizers")::add);
    }
    boolean waits = grace > 0 || !finalizers(object).isEmpty();
    if (!waits) {
      store(old, kind, null);
      return true;
    }
    boolean shorter =
        !old.deleting() || grace < metadata.path("deletionGracePeriodSeconds").asLong(0);
    if (shorter) {
      var asked = sim.time().truncatedTo(ChronoUnit.SECONDS);
      metadata.put("deletionTimestamp", asked.plus(Duration.ofSeconds(grace)).toString());
      metadata.put("deletionGracePeriodSeconds", grace);
      store(old, kind, object);
    }
    return true;
  }

  private static long grace(Stored pod, Deletion how) {
    var phase = pod.tree().path("status").path("phase").asText();
    boolean nobodyRuns =
        pod.tree().path("spec").path("nodeName").asText("").isEmpty()
            || phase.equals("Succeeded")
            || phase.equals("Failed");
    return how == Deletion.NOW || nobodyRuns
        ? 0
        : pod.tree().path("spec").path("terminationGracePeriodSeconds").asLong(30);
  }

  private Stored expect(Kind kind, String name, JsonNode patch) {
    var old = get(kind, name).orElseThrow(() -> new ApiError(Reason.NOT_FOUND, name));
    var metadata = patch.path("metadata");
    boolean other = metadata.has("uid") && !metadata.path("uid").asText().equals(old.uid());
    boolean stale =
        metadata.has("resourceVersion")
            && metadata.path("resourceVersion").asLong() != old.version();
    if (other || stale) {
      throw new ApiError(Reason.CONFLICT, name);
    }
    return old;
  }

  private ObjectNode admit(Review review) {
    var admitted = ADMISSION.admit(review, VirtualApi::lookup);
    if (admitted.refusal().isPresent()) {
      throw new ApiError(Reason.INVALID, admitted.refusal().get().path("message").asText());
    }
    return admitted.object();
  }

  /** Every namespace has its account. */
  private static Optional<ObjectNode> lookup(
      String apiVersion, String kind, @Nullable String namespace, String name) {
    if (!kind.equals("ServiceAccount")) {
      return Lookup.NOTHING.find(apiVersion, kind, namespace, name);
    }
    var account = Wire.object().put("apiVersion", "v1").put("kind", kind);
    account.putObject("metadata").put("name", name).put("namespace", namespace);
    return Optional.of(account);
  }

  /** Stores, or removes what nobody holds any more; null: it is gone. */
  private Stored store(@Nullable Stored old, Kind kind, @Nullable ObjectNode object) {
    boolean gone = object == null || released(object);
    if (old != null && object != null && !gone && object.equals(old.tree())) {
      return old; // nothing changed: no new revision
    }
    version++;
    ObjectNode tree = object != null ? object : draft(requireOld(old).tree());
    tree.withObjectProperty("metadata").put("resourceVersion", Long.toString(version));
    var now = new Stored(kind, tree);
    if (gone) {
      objects.get(kind).remove(now.name());
    } else {
      objects.get(kind).put(now.name(), now);
    }
    witnesses.forEach(witness -> witness.wrote(old, gone ? null : now));
    watches.get(kind).forEach(watch -> watch.offer(now, gone));
    return now;
  }

  private static Stored requireOld(@Nullable Stored old) {
    if (old == null) {
      throw new IllegalStateException("neither an old nor a new object");
    }
    return old;
  }

  private static boolean released(ObjectNode object) {
    var metadata = object.path("metadata");
    return metadata.hasNonNull("deletionTimestamp")
        && metadata.path("deletionGracePeriodSeconds").asLong(0) == 0
        && finalizers(object).isEmpty();
  }

  public static Set<String> finalizers(ObjectNode object) {
    Set<String> all = new HashSet<>();
    object.path("metadata").path("finalizers").forEach(one -> all.add(one.asText()));
    return all;
  }

  /** Dependents are gone: the object that waited for them may go. */
  public void endForeground(Stored owner) {
    var object = draft(owner.tree());
    var left = object.withObjectProperty("metadata").putArray("finalizers");
    finalizers(owner.tree()).stream().filter(f -> !f.equals(FOREGROUND)).forEach(left::add);
    store(owner, owner.kind(), object);
  }

  public static boolean inForeground(Stored one) {
    return one.deleting() && finalizers(one.tree()).contains(FOREGROUND);
  }

  /** A new revision to be: shares everything with the old one but what every write changes. */
  private static ObjectNode draft(ObjectNode tree) {
    var draft = copy(tree);
    draft.set("metadata", copy(tree.path("metadata")));
    return draft;
  }

  /** Trees are never changed, so that revisions can share what is the same in them. */
  private static ObjectNode copy(JsonNode tree) {
    var copy = Wire.object();
    if (tree instanceof ObjectNode object) {
      copy.setAll(object);
    }
    return copy;
  }

  private static ObjectNode merged(JsonNode old, JsonNode patch) {
    var merged = copy(old);
    for (var entry : patch.properties()) {
      var name = entry.getKey();
      var value = entry.getValue();
      if (value.isNull()) {
        merged.remove(name);
      } else {
        merged.set(name, value.isObject() ? merged(old.path(name), value) : value);
      }
    }
    return merged;
  }

  public String seconds() {
    return sim.time().truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
