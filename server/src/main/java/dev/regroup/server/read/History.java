package dev.regroup.server.read;

import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.ListOptions;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Change;
import dev.regroup.store.CursorNews;
import dev.regroup.store.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collections as they were: the store keeps only the newest state and a ring of changes, so an
 * older picture is made by undoing changes, newest first. That costs only for the few who ask for
 * an exact revision or read the next page after something was written.
 */
final class History {
  private static final Duration NO_WAIT = Duration.ZERO;

  private final ObjectStore objects;

  /** Entries sorted by key, as of one revision. */
  record Picture(long revision, List<Entry> entries) {}

  History(ObjectStore objects) {
    this.objects = objects;
  }

  Picture at(ResourceType type, String namespace, ListOptions options)
      throws Refused, InterruptedException {
    long wanted;
    try {
      wanted = options.revision();
    } catch (ListOptions.BadVersion e) {
      throw Refused.badRequest(
          "invalid resource version: " + Reader.badVersion(options.resourceVersion(), e));
    }
    var now = now(type, namespace);
    if (wanted > now.revision()) {
      throw new Refused(tooLarge(wanted, now.revision()), List.of());
    }
    if (options.match() != ListOptions.Match.EXACT || wanted == now.revision()) {
      return now;
    }
    return before(type, namespace, now, wanted)
        .orElseThrow(() ->
            new Refused(
                Status.expired(
                    "The provided resource version is too old, or no longer available.")));
  }

  /** Refuses a version that is not there yet. */
  void checkPast(ResourceType type, String namespace, long wanted) throws Refused {
    var now = objects.list(type, namespace).revision();
    if (wanted > now) {
      throw new Refused(tooLarge(wanted, now), List.of());
    }
  }

  Picture continued(ResourceType type, String namespace, ContinueToken token)
      throws Refused, InterruptedException {
    var now = now(type, namespace);
    if (token.revision() > now.revision()) {
      throw new Refused(tooLarge(token.revision(), now.revision()), List.of());
    }
    if (token.revision() < 0 || token.revision() == now.revision()) { // negative: whatever is there
      return now;
    }
    return before(type, namespace, now, token.revision())
        .orElseThrow(() ->
            new Refused(
                Status.expired(
                    "The provided continue parameter is too old to display a consistent list"
                        + " result. You can start a new list without the continue"
                        + " parameter.")));
  }

  private Picture now(ResourceType type, String namespace) {
    var listing = objects.list(type, namespace);
    return new Picture(listing.revision(), listing.entries());
  }

  private Optional<Picture> before(ResourceType type, String namespace, Picture now, long wanted)
      throws InterruptedException {
    var changes = new ArrayList<Change>();
    var scope = namespace.isEmpty() ? "" : namespace + "/";
    try (var cursor = objects.watch(type, scope, wanted)) {
      boolean more = true;
      while (more) {
        switch (cursor.next(NO_WAIT)) {
          case Change change when change.revision() <= now.revision() -> changes.add(change);
          case Change _, CursorNews.Quiet _ -> more = false;
          case CursorNews.Compacted _, CursorNews.Ended _ -> {
            return Optional.empty();
          }
        }
      }
    }
    if (changes.isEmpty()) {
      return Optional.of(new Picture(wanted, now.entries()));
    }
    var entries = new TreeMap<String, Entry>();
    now.entries().forEach(entry -> entries.put(entry.key(), entry));
    for (var change : changes.reversed()) {
      var previous = change.previousValue();
      if (previous == null) {
        entries.remove(change.key());
      } else {
        entries.put(change.key(), new Entry(type.collection(), change.key(), 1, 1, previous));
      }
    }
    return Optional.of(new Picture(wanted, List.copyOf(entries.values())));
  }

  private static com.fasterxml.jackson.databind.node.ObjectNode tooLarge(
      long wanted, long current) {
    var status =
        new Status(
                504,
                Status.Reason.TIMEOUT,
                "Timeout: Too large resource version: " + wanted + ", current: " + current,
                new Status.Details(
                    "",
                    "",
                    "",
                    List.of(
                        new Status.Cause(
                            "ResourceVersionTooLarge", "Too large resource version", ""))))
            .toJson();
    ((com.fasterxml.jackson.databind.node.ObjectNode) status.path("details"))
        .put("retryAfterSeconds", 1);
    return status;
  }
}
