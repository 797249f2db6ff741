package dev.regroup.store;

import java.util.List;

/**
 * A consistent picture: every entry as of {@code revision}, sorted by key. It never changes and
 * costs nothing to keep but the memory of the values, so a paged list may hold on to it.
 *
 * @param revision of the whole store; a watch after it misses nothing
 * @param entries an unmodifiable view
 */
public record Listing(long revision, List<Entry> entries) {}
