package dev.regroup.server.objects;

import dev.regroup.server.resource.ResourceType;
import dev.regroup.store.Change;
import dev.regroup.store.Cursor;
import dev.regroup.store.CursorNews;
import java.time.Duration;

/** Changes of stored objects in the form that another kind serves them in. */
final class ServedCursor implements Cursor {
  private final Cursor stored;
  private final ObjectStore objects;
  private final ResourceType type;

  ServedCursor(Cursor stored, ObjectStore objects, ResourceType type) {
    this.stored = stored;
    this.objects = objects;
    this.type = type;
  }

  @Override
  public CursorNews next(Duration timeout) throws InterruptedException {
    return served(stored.next(timeout));
  }

  @Override
  public CursorNews next() throws InterruptedException {
    return served(stored.next());
  }

  @Override
  public void close() {
    stored.close();
  }

  private CursorNews served(CursorNews seen) {
    if (!(seen instanceof Change change)) {
      return seen;
    }
    var previous = change.previousValue();
    return new Change(
        change.type(),
        change.revision(),
        change.key(),
        objects.served(type, change.value()),
        previous == null ? null : objects.served(type, previous));
  }
}
