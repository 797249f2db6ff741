package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.read.Reader;
import dev.regroup.server.resource.Deletion;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.DeleteParameters;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Entry;
import dev.regroup.store.WriteOutcome;
import java.time.InstantSource;
import java.util.List;

/** Deletes objects, one or many; the strategy of its kind decides what that means for each. */
public final class Remover {
  private final ObjectStore objects;
  private final AdmissionGate rules;
  private final Presenter presenter;
  private final InstantSource clock;
  private final Reader reader;

  /** What became of an object. */
  record Removed(byte[] object, boolean gone) {}

  /** Asked about an object that is about to go, each time it is looked at. */
  interface Consent {
    void ask(ObjectNode stored) throws Refused, InterruptedException;
  }

  public Remover(
      ObjectStore objects,
      AdmissionGate rules,
      Reader reader,
      Presenter presenter,
      InstantSource clock) {
    this.reader = reader;
    this.objects = objects;
    this.rules = rules;
    this.presenter = presenter;
    this.clock = clock;
  }

  public Answer delete(Call call, ResourceType type) throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, type);
    var options = options(call, type);
    var info = call.info();
    var removed =
        remove(type, info.namespace(), info.name(), options, consent(call, type, options));
    if (!removed.gone() || type.has(Trait.RETURNS_DELETED)) {
      return presenter.one(call, type, accept, 200, removed.object());
    }
    return Presenter.status(call, 200, success(type, removed.object()));
  }

  /** Deletes what is selected and answers with the list of it. */
  public Answer deleteCollection(Call call, ResourceType type)
      throws Refused, InterruptedException {
    var accept = presenter.acceptMany(call, type);
    var options = options(call, type);
    var page = reader.page(call, type);
    for (var entry : page.items()) {
      int slash = type.namespaced() ? entry.key().indexOf('/') : -1;
      try {
        remove(
            type,
            slash < 0 ? "" : entry.key().substring(0, slash),
            entry.key().substring(slash + 1),
            options,
            consent(call, type, options));
      } catch (Refused e) {
        if (e.code() != 404) { // somebody else deleted it: as good as done
          throw e;
        }
      }
    }
    return reader.answer(call, type, accept, page);
  }

  private static DeleteParameters options(Call call, ResourceType type) throws Refused {
    var options = DeleteParameters.of(call.query(), Bodies.deleteOptions(call.request()));
    var orphans = type.strategy().orphanWarning();
    if (orphans.isEmpty() || options.propagation().isPresent()) {
      return options;
    }
    call.warn(List.of(orphans.get()));
    return options.with(DeleteParameters.Propagation.ORPHAN);
  }

  /** Deletes one for the server itself, which asks nobody. */
  public void remove(ResourceType type, String namespace, String name)
      throws Refused, InterruptedException {
    var _ = remove(type, namespace, name, DeleteParameters.NONE, _ -> {});
  }

  private Consent consent(Call call, ResourceType type, DeleteParameters options) {
    return stored -> rules.admitDeletion(call, type, stored, options);
  }

  Removed remove(
      ResourceType type, String namespace, String name, DeleteParameters options, Consent consent)
      throws Refused, InterruptedException {
    checkMortal(type, name);
    while (true) {
      var entry = objects.get(type, namespace, name);
      var stored = ObjectStore.tree(entry.value());
      checkPreconditions(type, entry, stored, options);
      consent.ask(stored);
      var deletion = type.strategy().delete(stored, options, clock.instant());
      boolean gone = deletion.kind() == Deletion.Kind.REMOVE;
      if (deletion.kind() == Deletion.Kind.NOTHING_NEW) {
        return new Removed(entry.value(), false);
      }
      if (options.dryRun()) {
        return new Removed(Wire.write(deletion.object()), gone);
      }
      var outcome =
          gone
              ? objects.delete(type, entry, deletion.object())
              : objects.update(type, entry, deletion.object());
      switch (outcome) {
        case WriteOutcome.Committed(Entry committed) -> {
          return new Removed(committed.value(), gone);
        }
        case WriteOutcome.Changed _ -> {} // look again
        case WriteOutcome.Missing _ ->
            throw new Refused(Status.notFound(type.groupResource(), name));
        case WriteOutcome.Exists _ ->
            throw new IllegalStateException("a delete found a second object");
      }
    }
  }

  private static void checkMortal(ResourceType type, String name) throws Refused {
    var reason = type.strategy().undeletable(name);
    if (reason.isPresent()) {
      throw new Refused(Status.forbidden(type.groupResource(), name, reason.get()));
    }
  }

  static void checkPreconditions(
      ResourceType type, Entry entry, ObjectNode stored, DeleteParameters options) throws Refused {
    var kind = new GroupResource(type.kind().group(), type.kind().kind());
    var name = Meta.name(stored);
    var version = Long.toString(entry.revision());
    if (type.has(ResourceType.Trait.IS_NAMESPACE)) {
      checkNamespace(type, name, "UID", options.uid(), Meta.uid(stored));
      checkNamespace(type, name, "ResourceVersion", options.resourceVersion(), version);
    }
    if (!options.uid().isEmpty() && !options.uid().equals(Meta.uid(stored))) {
      throw new Refused(
          Status.conflict(
              kind,
              name,
              "the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated"
                  .formatted(options.uid(), Meta.uid(stored))));
    }
    if (!options.resourceVersion().isEmpty() && !options.resourceVersion().equals(version)) {
      throw new Refused(
          Status.conflict(
              kind,
              name,
              "the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified"
                  .formatted(options.resourceVersion(), version)));
    }
  }

  private static void checkNamespace(
      ResourceType type, String name, String what, String wanted, String found) throws Refused {
    if (!wanted.isEmpty() && !wanted.equals(found)) {
      throw new Refused(
          Status.conflict(
              type.groupResource(),
              name,
              "Precondition failed: %s in precondition: %s, %s in object meta: %s"
                  .formatted(what, wanted, what, found)));
    }
  }

  private static ObjectNode success(ResourceType type, byte[] object) {
    var tree = ObjectStore.tree(object);
    var status = Wire.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    status.put("status", "Success");
    var details = status.putObject("details");
    details.put("name", Meta.name(tree));
    if (!type.kind().group().isEmpty()) {
      details.put("group", type.kind().group());
    }
    details.put("kind", type.names().plural()).put("uid", Meta.uid(tree));
    return status;
  }
}
