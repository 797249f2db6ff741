package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Allocations;
import dev.regroup.server.resource.Deletion;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.ListOptions;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.WriteParameters;
import dev.regroup.store.Entry;
import dev.regroup.store.WriteOutcome;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Creates and changes objects. Steps of a write: read the body, fill in metadata, admission,
 * commit, answer with the stored bytes. A change without a resource version is tried again when
 * another one came first, so often that only a flood makes it a conflict; with one it is a
 * conflict.
 */
public final class Writer {
  private static final int NAME_ATTEMPTS = 8;

  /** More than a few hundred writers of one object ever need; each try costs a decode. */
  static final int CHANGE_ATTEMPTS = 1_000;

  private final ObjectStore objects;
  private final AdmissionGate rules;
  private final Presenter presenter;
  private final Allocations allocations;
  private final FieldManagement fields;
  private final CreateRight right;
  private final InstantSource clock;
  private final RandomGenerator random;

  /** How a request wants the stored object to become. */
  interface Edit {
    ObjectNode apply(ObjectNode stored) throws Refused;
  }

  /** What a configuration makes of the stored object, or of nothing. */
  interface Applying {
    ObjectNode apply(@Nullable ObjectNode live) throws Refused;
  }

  /**
   * A change that only waits for the disk. Who waits holds no tree any more: the frames that made
   * them have returned.
   */
  private interface Ready {
    /** Returns the stored bytes, or null when another write came first. */
    byte @Nullable [] commit() throws Refused, InterruptedException;
  }

  /** Keeps the books of a write: who manages which fields. */
  private interface Books {
    void note(@Nullable ObjectNode old, ObjectNode next);
  }

  /**
   * A stored object and how it is answered.
   *
   * @param code 201 when it is new
   */
  record Applied(int code, byte[] object) {}

  /** What the writer works with. */
  public record Parts(
      ObjectStore objects,
      AdmissionGate rules,
      Presenter presenter,
      Allocations allocations,
      FieldManagement fields,
      CreateRight right,
      InstantSource clock,
      RandomGenerator random) {}

  public Writer(Parts parts) {
    this.objects = parts.objects();
    this.rules = parts.rules();
    this.presenter = parts.presenter();
    this.allocations = parts.allocations();
    this.fields = parts.fields();
    this.right = parts.right();
    this.clock = parts.clock();
    this.random = parts.random();
  }

  public Answer create(Call call, ResourceType type) throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, type);
    var options = WriteParameters.of(call.query(), "CreateOptions");
    var object = Bodies.object(call, type, options);
    OwnerReferences.dropRepeated(call, object);
    if (!options.dryRun() && !Meta.text(object, "resourceVersion").isEmpty()) {
      throw new Refused(
          Status.plainError("resourceVersion should not be set on objects to be created"));
    }
    var stored = createObject(call, type, object, options);
    return presenter.one(call, type, accept, 201, stored);
  }

  /** PUT of the object or of one of its parts. */
  public Answer update(Call call, ResourceType type, Operation operation)
      throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, type);
    var options = WriteParameters.of(call.query(), "UpdateOptions");
    var info = call.info();
    var stored = objects.find(type, info.namespace(), info.name());
    var object =
        Bodies.object(
            call, type, options, stored.map(entry -> ObjectStore.tree(entry.value())).orElse(null));
    checkAddress(call, type, object);
    OwnerReferences.dropRepeated(call, object);
    var version = Meta.text(object, "resourceVersion");
    if (type.has(Trait.NEEDS_VERSION) && isUnset(version) && stored.isPresent()) {
      var error =
          FieldError.invalid(
              FieldPath.of("metadata", "resourceVersion"), 0, "must be specified for an update");
      var resource = type.groupResource();
      var named =
          new GroupVersionKind(resource.group(), type.kind().version(), resource.resource());
      throw new Refused(RefusalStatus.invalid(named, info.name(), List.of(error)), List.of());
    }
    boolean create =
        type.has(Trait.CREATE_ON_UPDATE) && operation == Operation.UPDATE && stored.isEmpty();
    if (create) {
      right.demand(call, type);
      return presenter.one(call, type, accept, 201, createObject(call, type, object, options));
    }
    Edit replace =
        current -> {
          checkUid(call, type, current, object);
          return object.deepCopy();
        };
    var changed = change(call, type, operation, options, replace);
    return presenter.one(call, type, accept, 200, changed);
  }

  private byte[] createObject(
      Call call, ResourceType type, ObjectNode object, WriteParameters options)
      throws Refused, InterruptedException {
    var namespace = namespaceOf(call, type, object);
    var prefix = Meta.text(object, "generateName");
    boolean generated = Meta.name(object).isEmpty() && !prefix.isEmpty();
    for (int attempt = 1; ; attempt++) {
      var wanted = generated ? object.deepCopy() : object; // another name may be tried
      if (generated) {
        Meta.of(wanted).put("name", Meta.generateName(prefix, random));
      }
      Books books = (old, next) -> fields.note(call, type, Operation.CREATE, old, next);
      var outcome = tryCreate(call, type, namespace, wanted, options, books);
      if (outcome != null) {
        return outcome;
      }
      if (!generated || attempt == NAME_ATTEMPTS) {
        throw exists(type, namespace, Meta.name(wanted));
      }
    }
  }

  /** Returns what was stored, or null when the name is taken. */
  private byte @Nullable [] tryCreate(
      Call call,
      ResourceType type,
      String namespace,
      ObjectNode object,
      WriteParameters options,
      Books books)
      throws Refused, InterruptedException {
    stampNew(type, namespace, object);
    books.note(null, object);
    rules.checkNamespace(call, type, namespace, Meta.name(object));
    type.strategy().prepareCreate(object, allocations);
    var admitted = rules.admit(call, type, Operation.CREATE, object, null);
    if (options.dryRun()) {
      return objects.find(type, namespace, Meta.name(admitted)).isPresent()
          ? null
          : objects.bytes(type).withoutRevision(admitted);
    }
    return switch (objects.create(type, namespace, admitted)) {
      case WriteOutcome.Committed(Entry entry) -> entry.value();
      case WriteOutcome.Exists _ -> null;
      case WriteOutcome.Missing _, WriteOutcome.Changed _ ->
          throw new IllegalStateException("a create found something to compare with");
    };
  }

  private void stampNew(ResourceType type, String namespace, ObjectNode object) {
    var metadata = Meta.of(object);
    metadata.remove(
        List.of("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"));
    if (type.namespaced()) {
      metadata.put("namespace", namespace);
    } else {
      metadata.remove("namespace");
    }
    metadata.put("uid", Meta.newUid(random));
    metadata.put("creationTimestamp", Meta.stamp(clock.instant()));
  }

  /** Changes a stored object; the one way every update, patch and subresource write takes. */
  byte[] change(
      Call call, ResourceType type, Operation operation, WriteParameters options, Edit edit)
      throws Refused, InterruptedException {
    Books books = (old, next) -> fields.note(call, type, operation, old, next);
    return change(call, type, operation, options, edit, books);
  }

  /** Applies a configuration, which keeps the books itself; what is not there is created. */
  Applied apply(
      Call call, ResourceType type, Operation operation, WriteParameters options, Applying applying)
      throws Refused, InterruptedException {
    Books kept = (_, _) -> {};
    var info = call.info();
    boolean creates = operation == Operation.UPDATE;
    while (creates && objects.find(type, info.namespace(), info.name()).isEmpty()) {
      right.demand(call, type);
      var wanted = applying.apply(null);
      checkNoUid(type, wanted);
      var created = tryCreate(call, type, info.namespace(), wanted, options, kept);
      if (created != null) {
        return new Applied(201, created);
      }
    }
    return new Applied(200, change(call, type, operation, options, applying::apply, kept));
  }

  private static void checkNoUid(ResourceType type, ObjectNode wanted) throws Refused {
    if (!Meta.uid(wanted).isEmpty()) {
      throw new Refused(
          Status.conflict(
              type.groupResource(),
              Meta.name(wanted),
              "uid mismatch: the provided object specified uid %s, and no existing object was found"
                  .formatted(Meta.uid(wanted))));
    }
  }

  private byte[] change(
      Call call,
      ResourceType type,
      Operation operation,
      WriteParameters options,
      Edit edit,
      Books books)
      throws Refused, InterruptedException {
    var info = call.info();
    for (int attempt = 1; attempt <= CHANGE_ATTEMPTS; attempt++) {
      var done = changed(call, type, operation, options, edit, books).commit();
      if (done != null) {
        return done;
      }
    }
    throw modified(type, info.name());
  }

  private Ready changed(
      Call call,
      ResourceType type,
      Operation operation,
      WriteParameters options,
      Edit edit,
      Books books)
      throws Refused, InterruptedException {
    var info = call.info();
    var entry = objects.get(type, info.namespace(), info.name());
    var old = ObjectStore.tree(entry.value());
    var wanted = edit.apply(old);
    checkPreconditions(type, entry, old, wanted); // also ends a second try that lost its version
    bringBack(old, wanted);
    books.note(old, wanted);
    type.strategy().prepareUpdate(old, wanted, allocations);
    var admitted = rules.admit(call, type, operation, wanted, old);
    keepWhatIsFixed(old, admitted);
    return ready(type, entry, old, admitted, options);
  }

  /** Returns the stored bytes, or null when another write came first. */
  byte @Nullable [] commit(
      ResourceType type, Entry entry, ObjectNode old, ObjectNode next, WriteParameters options)
      throws Refused, InterruptedException {
    return ready(type, entry, old, next, options).commit();
  }

  private Ready ready(
      ResourceType type, Entry entry, ObjectNode old, ObjectNode next, WriteParameters options)
      throws Refused {
    Meta.of(next).put("resourceVersion", Meta.text(old, "resourceVersion"));
    if (FieldManagement.isUnchanged(old, next)) {
      return entry::value; // nothing changes, so nothing is written
    }
    if (options.dryRun()) {
      var bytes = dev.regroup.api.Wire.write(next);
      return () -> bytes;
    }
    var name = Meta.name(old);
    var write =
        Deletion.finished(type, next)
            ? objects.removal(type, entry, next)
            : objects.change(type, entry, next);
    return () ->
        switch (write.make()) {
          case WriteOutcome.Committed(Entry committed) -> committed.value();
          case WriteOutcome.Changed _ -> null;
          case WriteOutcome.Missing _ ->
              throw new Refused(Status.notFound(type.groupResource(), name));
          case WriteOutcome.Exists _ ->
              throw new IllegalStateException("an update found a second object");
        };
  }

  /** The uid in the body of a PUT is a precondition; a patched one is for admission to refuse. */
  private static void checkUid(Call call, ResourceType type, ObjectNode old, ObjectNode wanted)
      throws Refused {
    var uid = Meta.uid(wanted);
    if (uid.isEmpty() || uid.equals(Meta.uid(old))) {
      return;
    }
    var info = call.info();
    throw new Refused(
        Status.conflict(
            type.groupResource(),
            info.name(),
            "StorageError: invalid object, Code: 4, Key: /"
                + type.collection()
                + "/"
                + type.key(info.namespace(), info.name())
                + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in"
                + " precondition: "
                + uid
                + ", UID in object meta: "
                + Meta.uid(old)));
  }

  private static void checkPreconditions(
      ResourceType type, Entry entry, ObjectNode old, ObjectNode wanted) throws Refused {
    var version = Meta.text(wanted, "resourceVersion");
    if (isUnset(version)) {
      return;
    }
    try {
      if (ListOptions.parse(version) != entry.revision()) {
        throw modified(type, Meta.name(old));
      }
    } catch (ListOptions.BadVersion e) {
      throw new Refused(Status.plainError(String.valueOf(e.getMessage())));
    }
  }

  /** What an update need not say; where it says otherwise, admission refuses it. */
  private static void bringBack(ObjectNode old, ObjectNode wanted) {
    var said = Meta.of(wanted);
    var time = said.get("deletionTimestamp");
    var grace = said.get("deletionGracePeriodSeconds");
    keepWhatIsFixed(old, wanted);
    if (time != null && !Meta.deleted(old)) {
      said.set("deletionTimestamp", time);
    }
    if (grace != null) {
      said.set("deletionGracePeriodSeconds", grace);
    }
  }

  /** Fields no update may touch, whatever it says. */
  private static void keepWhatIsFixed(ObjectNode old, ObjectNode next) {
    var from = old.path("metadata");
    var to = Meta.of(next);
    to.remove("selfLink");
    if (Meta.uid(next).isEmpty()) {
      to.put("uid", Meta.uid(old));
    }
    for (var field :
        List.of(
            "namespace", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")) {
      var value = from.get(field);
      if (value == null) {
        to.remove(field);
      } else {
        to.set(field, value);
      }
    }
  }

  /** The name and namespace inside an object must be those of the address. */
  static void checkAddress(Call call, ResourceType type, ObjectNode object) throws Refused {
    var name = Meta.name(object);
    var expected = call.info().name();
    if (name.isEmpty()) {
      throw Refused.badRequest(
          "the name of the object ("
              + expected
              + " based on URL) was undeterminable: name must be provided");
    }
    if (!name.equals(expected)) {
      throw Refused.badRequest(
          "the name of the object ("
              + name
              + ") does not match the name on the URL ("
              + expected
              + ")");
    }
    namespaceOf(call, type, object);
  }

  private static String namespaceOf(Call call, ResourceType type, ObjectNode object)
      throws Refused {
    var namespace = Meta.text(object, "namespace");
    if (!type.namespaced() || namespace.isEmpty()) {
      return call.info().namespace();
    }
    if (!namespace.equals(call.info().namespace())) {
      throw Refused.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    return namespace;
  }

  private Refused exists(ResourceType type, String namespace, String name) {
    var status = Status.alreadyExists(type.groupResource(), name);
    boolean going =
        objects
            .find(type, namespace, name)
            .map(entry -> Meta.deleted(ObjectStore.tree(entry.value())))
            .orElse(false);
    return new Refused(
        going
            ? new Status(
                status.code(),
                status.reason(),
                "object is being deleted: " + status.message(),
                status.details())
            : status);
  }

  static Refused modified(ResourceType type, String name) {
    return new Refused(
        Status.conflict(
            type.groupResource(),
            name,
            "the object has been modified; please apply your changes to the latest version and"
                + " try again"));
  }

  private static boolean isUnset(String version) {
    return version.isEmpty() || version.equals("0");
  }
}
