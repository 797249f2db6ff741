package dev.regroup.client;

import java.util.List;

/**
 * Objects as of one revision.
 *
 * @param resourceVersion a watch after it misses nothing
 * @param continueToken asks for the next page; empty after the last
 */
public record Page<T>(List<T> items, String resourceVersion, String continueToken) {

  public Page {
    items = List.copyOf(items);
  }
}
