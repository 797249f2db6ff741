package dev.regroup.server.resource;

import dev.regroup.api.schema.Schema;

/**
 * All kinds as they are at one moment. A request sees one set from its beginning to its end,
 * whatever is added or removed meanwhile.
 *
 * @param schema the fields that may be written
 * @param ofStored also those that an object may have from a time when other gates were on; the same
 *     schema when there are none
 */
public record KindSet(Catalog catalog, Schema schema, Schema ofStored) {

  /** A kind of the core group, which every server has. */
  public ResourceType core(String plural) {
    return catalog
        .find("", "v1", plural)
        .orElseThrow(() -> new IllegalStateException("no kind " + plural + " is served"));
  }
}
