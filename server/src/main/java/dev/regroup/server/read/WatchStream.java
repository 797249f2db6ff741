package dev.regroup.server.read;

import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Transport;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectBytes;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.select.Selection;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Accept.Format;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Change;
import dev.regroup.store.Cursor;
import dev.regroup.store.CursorNews;
import dev.regroup.store.Entry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One watch: first what is there, if asked for, then every change in order, none twice and none
 * left out, until the client leaves, the time is up or the ring of changes has moved on.
 *
 * <p>An event is the stored bytes in a frame. When a change moves an object into or out of the
 * selection the client sees it appear or disappear; what disappears is shown as it was while it was
 * selected, at the revision of the change.
 */
final class WatchStream implements Transport.Stream {
  private static final Duration BOOKMARK_EVERY = Duration.ofMinutes(1);

  /** What is watched. */
  record Source(
      ResourceType type,
      ObjectBytes bytes,
      Selection selection,
      Cursor cursor,
      Iterator<Entry> initial,
      long startedAt) {}

  /** How events look. */
  record Form(Call call, Presenter presenter, Accept accept, SharedFrames frames) {}

  /** How long, and with which extra events. */
  record Limits(
      InstantSource clock, Duration timeout, boolean bookmarks, boolean markEndOfInitial) {}

  private final Source source;
  private final Form form;
  private final Limits limits;
  private final Consumer<WatchStream> closed;
  private final Instant deadline;
  private Instant nextBookmark;
  private boolean endOfInitialDue;
  private boolean first = true;
  private boolean over;

  /**
   * @param closed told once or more often when this ends
   */
  WatchStream(Source source, Form form, Limits limits, Consumer<WatchStream> closed) {
    this.source = source;
    this.form = form;
    this.limits = limits;
    this.closed = closed;
    var now = limits.clock().instant();
    this.deadline = now.plus(limits.timeout());
    this.nextBookmark = limits.bookmarks() ? now.plus(BOOKMARK_EVERY) : Instant.MAX;
    this.endOfInitialDue = limits.markEndOfInitial();
  }

  @Override
  public int status() {
    return 200;
  }

  @Override
  public Headers headers() {
    var format = form.accept().format();
    var mediaType = isProtobuf() ? format.mediaType() + ";stream=watch" : Format.JSON.mediaType();
    return Presenter.headers(mediaType, form.call().warnings());
  }

  Answer.Framing framing() {
    return isProtobuf() ? Answer.Framing.BYTES : Answer.Framing.LINES;
  }

  private boolean isProtobuf() {
    return form.accept().format() == Format.PROTOBUF;
  }

  @Override
  public byte @Nullable [] next() throws InterruptedException {
    byte[] frame = null;
    while (!over && frame == null) {
      frame = step(untilNextDuty());
    }
    return frame;
  }

  @Override
  public byte @Nullable [] poll() throws InterruptedException {
    return over ? null : step(Duration.ZERO);
  }

  /** The next event, or null when there is none after all, or none within this time. */
  private byte @Nullable [] step(Duration wait) throws InterruptedException {
    if (source.initial().hasNext()) {
      return event("ADDED", source.initial().next().value());
    }
    if (endOfInitialDue) {
      endOfInitialDue = false;
      return bookmark(source.startedAt(), true);
    }
    return switch (source.cursor().next(wait)) {
      case Change change -> eventOf(change);
      case CursorNews.Quiet quiet -> duty(quiet);
      case CursorNews.Compacted compacted -> {
        over = true;
        yield frame("ERROR", tooOld(compacted));
      }
      case CursorNews.Ended _ -> {
        over = true;
        yield null;
      }
    };
  }

  /** What is due when nothing has happened: the end, or a bookmark. */
  private byte @Nullable [] duty(CursorNews.Quiet quiet) {
    var now = limits.clock().instant();
    if (!now.isBefore(deadline)) {
      close();
      over = true;
      return null;
    }
    if (now.isBefore(nextBookmark)) {
      return null;
    }
    nextBookmark = now.plus(BOOKMARK_EVERY);
    return bookmark(quiet.progress(), false);
  }

  @Override
  public void close() {
    source.cursor().close();
    closed.accept(this);
  }

  boolean isOf(ResourceType type) {
    return source.type().kind().equals(type.kind());
  }

  private Duration untilNextDuty() {
    var duty = deadline.isBefore(nextBookmark) ? deadline : nextBookmark;
    if (duty.equals(Instant.MAX)) {
      return BOOKMARK_EVERY;
    }
    var wait = Duration.between(limits.clock().instant(), duty);
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private byte @Nullable [] eventOf(Change change) {
    var previous = change.previousValue();
    boolean was = previous != null && selects(change.key(), previous);
    return switch (change.type()) {
      case DELETE -> was ? event("DELETED", change.value()) : null;
      case PUT -> {
        if (selects(change.key(), change.value())) {
          yield event(was ? "MODIFIED" : "ADDED", change.value());
        }
        yield was && previous != null
            ? event("DELETED", source.bytes().at(change.revision(), previous))
            : null;
      }
    };
  }

  private boolean selects(String key, byte[] object) {
    int slash = source.type().namespaced() ? key.indexOf('/') : -1;
    return source
        .selection()
        .matches(slash < 0 ? "" : key.substring(0, slash), key.substring(slash + 1), object);
  }

  private byte[] event(String type, byte[] object) {
    if (form.accept().as().isEmpty()) {
      return frame(type, object);
    }
    try {
      return frame(type, transformed(object));
    } catch (Refused e) {
      throw new IllegalStateException("the form of a watch was checked when it began", e);
    }
  }

  private byte[] transformed(byte[] object) throws Refused {
    var tree = ObjectStore.tree(object);
    var shown = form.presenter().transform(form.call(), source.type(), form.accept(), tree);
    if (form.accept().as().equals("Table") && !first) {
      shown.putNull("columnDefinitions"); // the client knows them
    }
    first = false;
    return Wire.write(shown);
  }

  private byte[] bookmark(long revision, boolean endOfInitial) {
    var object = Wire.object();
    object.put("kind", source.type().kind().kind());
    object.put("apiVersion", source.type().kind().apiVersion());
    var metadata = object.putObject("metadata");
    metadata.put("resourceVersion", Long.toString(revision));
    if (endOfInitial) {
      metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
    }
    return event("BOOKMARK", Wire.write(object));
  }

  private static byte[] tooOld(CursorNews.Compacted compacted) {
    return Status.expired(
            "too old resource version: %d (%d)".formatted(compacted.position(), compacted.oldest()))
        .toBytes();
  }

  private byte[] frame(String type, byte[] object) {
    return form.frames().frame(type, isProtobuf() ? Format.PROTOBUF : Format.JSON, object);
  }
}
