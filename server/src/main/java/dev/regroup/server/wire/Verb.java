package dev.regroup.server.wire;

import java.util.Locale;

/** What a request wants, in the words of authorization and discovery. */
public enum Verb {
  GET,
  LIST,
  WATCH,
  CREATE,
  UPDATE,
  PATCH,
  DELETE,
  DELETECOLLECTION,
  /** A method no resource has, such as OPTIONS. */
  OTHER;

  public String wireName() {
    return this == OTHER ? "" : name().toLowerCase(Locale.ROOT);
  }
}
