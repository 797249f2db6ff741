package dev.regroup.server.read;

import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.store.Cursor;
import dev.regroup.store.CursorNews;
import dev.regroup.store.Entry;
import java.time.Duration;

/**
 * A watch that asks for a time before history: what the server made of itself at its very first
 * start is nobody's news. Clients that begin there, with a version they have made up or kept from
 * another cluster, are told to list first.
 */
record ForgottenPast(long asked, long begin) implements Cursor {

  /** One of the first objects of every server, which nobody can delete. */
  private static final String FIRST_NAMESPACE = "kube-public";

  /** The first revision that a watch may begin after. */
  static long begin(ObjectStore objects, KindSet kinds) {
    return objects
        .find(kinds.core("namespaces"), "", FIRST_NAMESPACE)
        .map(Entry::createdRevision)
        .orElse(0L);
  }

  @Override
  public CursorNews next(Duration timeout) {
    return next();
  }

  @Override
  public CursorNews next() {
    return new CursorNews.Compacted(asked, begin);
  }

  @Override
  public void close() {}
}
