package dev.regroup.server.read;

import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ServedKinds;
import dev.regroup.server.select.Selection;
import dev.regroup.server.websocket.WebSocketHandshake;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.ListOptions;
import dev.regroup.server.wire.ListOptions.InitialEvents;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Entry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * Opens watches: decides where a stream begins and which part of the store it follows. Those of a
 * kind that is no longer served end.
 */
public final class Watches {
  private static final Duration SHORTEST = Duration.ofMinutes(30);

  private final ObjectStore objects;
  private final Presenter presenter;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final ServedKinds kinds;
  private final SharedFrames frames = new SharedFrames();
  private final Set<WatchStream> open = ConcurrentHashMap.newKeySet();

  public Watches(
      ObjectStore objects,
      Presenter presenter,
      ServedKinds kinds,
      InstantSource clock,
      RandomGenerator random) {
    this.random = random;
    this.kinds = kinds;
    kinds.onRemoval(this::end);
    this.objects = objects;
    this.presenter = presenter;
    this.clock = clock;
  }

  public Answer open(Call call, ResourceType type) throws Refused {
    var accept = presenter.acceptOne(call, type);
    var options = ListOptions.of(call.query(), true);
    var selection = Selection.of(call.query(), type.selectable());
    long from;
    try {
      from = options.revision();
    } catch (ListOptions.BadVersion e) {
      throw new Refused(Status.plainError(Reader.badVersion(options.resourceVersion(), e)));
    }
    boolean initial =
        switch (options.initialEvents()) {
          case SEND -> true;
          case SKIP -> false;
          case UNSET -> from == 0;
        };
    Iterator<Entry> first = Collections.emptyIterator();
    if (initial || from == 0) {
      var listing = objects.list(type, type.namespaced() ? namespace(call, selection) : "");
      from = Math.max(from, listing.revision());
      if (initial) {
        first = matching(named(call, type, listing.entries()), selection, type);
      }
    }
    long begin = ForgottenPast.begin(objects, call.kinds());
    var cursor =
        from < begin
            ? new ForgottenPast(from, begin)
            : objects.watch(type, scope(call, type, selection), from);
    var source = new WatchStream.Source(type, objects.bytes(type), selection, cursor, first, from);
    var form = new WatchStream.Form(call, presenter, accept, frames);
    var limits =
        new WatchStream.Limits(
            clock,
            options.timeout().orElseGet(this::defaultTimeout),
            options.bookmarks(),
            options.initialEvents() == InitialEvents.SEND && options.bookmarks());
    var stream = new WatchStream(source, form, limits, open::remove);
    open.add(stream);
    if (kinds.now().catalog().find(type.kind()).isEmpty()) {
      stream.close(); // removed before the stream was there to be ended
    }
    if (!WebSocketHandshake.isWanted(call.request())) {
      return new Answer.Streamed(stream, stream.framing());
    }
    try {
      var talk = new WatchTalk(stream, stream.framing());
      return WebSocketHandshake.accept(call.request(), "", talk);
    } catch (Refused e) {
      stream.close();
      throw e;
    }
  }

  private void end(ResourceType removed) {
    for (var stream : open) {
      if (stream.isOf(removed)) {
        stream.close();
      }
    }
  }

  /** Half an hour to an hour, as Kubernetes: different ones, so that not all come again at once. */
  private Duration defaultTimeout() {
    return SHORTEST.plusMillis(random.nextLong(SHORTEST.toMillis()));
  }

  /** The old form of a watch names the one object it is about. */
  private static List<Entry> named(Call call, ResourceType type, List<Entry> entries) {
    var name = call.info().name();
    var key = type.namespaced() ? call.info().namespace() + "/" + name : name;
    return name.isEmpty()
        ? entries
        : entries.stream().filter(entry -> entry.key().equals(key)).toList();
  }

  private static Iterator<Entry> matching(
      List<Entry> entries, Selection selection, ResourceType type) {
    return entries.stream().filter(entry -> Reader.matches(selection, type, entry)).iterator();
  }

  private static String namespace(Call call, Selection selection) {
    var namespace = call.info().namespace();
    return namespace.isEmpty() ? selection.onlyNamespace().orElse("") : namespace;
  }

  /** The narrowest part of the collection that holds everything selected. */
  private static String scope(Call call, ResourceType type, Selection selection) {
    var name = call.info().name().isEmpty() ? selection.onlyName().orElse("") : call.info().name();
    if (!type.namespaced()) {
      return name;
    }
    var namespace = namespace(call, selection);
    if (namespace.isEmpty()) {
      return "";
    }
    return namespace + "/" + name;
  }
}
