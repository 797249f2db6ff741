package dev.regroup.server.quota;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.quota.Quota;
import dev.regroup.api.quota.QuotaAmounts;
import dev.regroup.api.quota.QuotaUsage;
import dev.regroup.server.objects.DerivedObjects;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.store.Entry;
import dev.regroup.store.WriteOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses what a quota has no room for, and writes what it lets pass into the quota's status before
 * the object is stored: of two who want the last place one finds it taken. What was reserved for an
 * object that is not stored after all is given back by the controller, which counts anew. Without
 * quotas it costs one look at a number.
 */
public final class QuotaLink implements AdmissionLink<InterruptedException> {

  /** Kinds whose changes can need more, or bring them under another quota. */
  private static final Set<String> GROWING = Set.of("services", "persistentvolumeclaims", "pods");

  private final ObjectStore objects;
  private final ResourceType type;
  private final DerivedObjects<Quota> quotas;

  /**
   * What a request would use.
   *
   * @param whole all that the object uses
   */
  private record Want(Review review, String plural, QuotaAmounts whole) {

    /** What it uses more than before; all of it where it did not count. */
    QuotaAmounts amounts(Quota quota) {
      var old = review.old();
      var group = review.kind().group();
      if (old == null || !quota.counts(group, plural, old)) {
        return whole;
      }
      var more = whole.minus(QuotaUsage.of(group, plural, old));
      return more.only(name -> more.of(name).amount().signum() > 0);
    }

    boolean countsFor(Quota quota) {
      var group = review.kind().group();
      return quota.counts(group, plural, review.object())
          && QuotaUsage.concerns(group, plural, quota.hard().byName().keySet());
    }

    Optional<String> refusal(Quota quota) {
      return quota.refusal(amounts(quota), review.kind().group(), plural, review.object());
    }
  }

  public QuotaLink(ObjectStore objects, ResourceType type) {
    this.objects = objects;
    this.type = type;
    this.quotas = new DerivedObjects<>(objects, type, Quota::of);
  }

  @Override
  public Admitted admit(Review review, Lookup lookup) throws InterruptedException {
    var all = quotas.all();
    if (all.isEmpty()) {
      return review.unchanged();
    }
    var namespace = Meta.text(review.object(), "namespace");
    var want = want(review);
    if (want.isEmpty() || namespace.isEmpty() || isTaken(review, namespace, lookup)) {
      return review.unchanged();
    }
    var reserved = new ArrayList<Quota>();
    for (var quota : all) {
      if (!quota.namespace().equals(namespace)) {
        continue;
      }
      var refusal = reserve(want.get(), quota, reserved);
      if (refusal.isPresent()) {
        giveBack(want.get(), reserved);
        return new Admitted(
            review.object(),
            List.of(),
            review.found(),
            RefusalStatus.forbidden(
                review.kind().group(),
                want.get().plural(),
                Meta.name(review.object()),
                refusal.get()));
      }
    }
    return review.unchanged();
  }

  /** A new object whose name is taken will be refused: nothing may be reserved for it. */
  private static boolean isTaken(Review review, String namespace, Lookup lookup) {
    return review.operation() == Operation.CREATE
        && lookup
            .find(
                review.kind().apiVersion(),
                review.kind().kind(),
                namespace,
                Meta.name(review.object()))
            .isPresent();
  }

  private static Optional<Want> want(Review review) {
    var plural = review.request().resource();
    var group = review.kind().group();
    if (plural.isEmpty() || !review.request().subresource().isEmpty()) {
      return Optional.empty();
    }
    boolean mayGrow =
        review.operation() == Operation.UPDATE
            && review.old() != null
            && group.isEmpty()
            && GROWING.contains(plural);
    return review.operation() == Operation.CREATE || mayGrow
        ? Optional.of(new Want(review, plural, QuotaUsage.of(group, plural, review.object())))
        : Optional.empty();
  }

  /** Takes what is wanted out of the quota; a refusal when there is too little. */
  private Optional<String> reserve(Want want, Quota known, List<Quota> reserved)
      throws InterruptedException {
    while (true) {
      var entry = objects.find(type, known.namespace(), known.name());
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      var tree = ObjectStore.tree(entry.get().value());
      var quota = Quota.of(tree);
      if (!want.countsFor(quota)) {
        return Optional.empty();
      }
      if (want.amounts(quota).isEmpty()) {
        return Optional.empty(); // not more than before
      }
      var refusal = want.refusal(quota);
      if (refusal.isPresent() || want.review().request().dryRun()) {
        return refusal;
      }
      var asked = want.amounts(quota).only(quota.hard()::has);
      if (asked.isEmpty()) {
        return Optional.empty();
      }
      if (write(entry.get(), tree, quota.used().plus(asked))) {
        reserved.add(quota);
        return Optional.empty();
      }
    }
  }

  private void giveBack(Want want, List<Quota> reserved) throws InterruptedException {
    for (var known : reserved) {
      boolean done = false;
      while (!done) {
        var entry = objects.find(type, known.namespace(), known.name());
        if (entry.isEmpty()) {
          break;
        }
        var tree = ObjectStore.tree(entry.get().value());
        var quota = Quota.of(tree);
        var asked = want.amounts(quota).only(quota.hard()::has);
        done = write(entry.get(), tree, quota.used().minus(asked));
      }
    }
  }

  /** Whether the quota was still as it was read. */
  private boolean write(Entry entry, ObjectNode quota, QuotaAmounts used)
      throws InterruptedException {
    quota.withObject("/status").set("used", used.toJson());
    try {
      return switch (objects.update(type, entry, quota)) {
        case WriteOutcome.Committed _ -> true;
        case WriteOutcome.Changed _, WriteOutcome.Missing _, WriteOutcome.Exists _ -> false;
      };
    } catch (Refused e) {
      return true; // the disk is full: the object itself will be refused for it
    }
  }
}
