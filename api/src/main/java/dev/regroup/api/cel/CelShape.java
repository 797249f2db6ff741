package dev.regroup.api.cel;

import java.util.Set;

/**
 * What is known of a value before it is there: what the compiler checks expressions against, and
 * how a JSON tree is read when they are evaluated.
 */
public sealed interface CelShape
    permits CelShape.Plain,
        CelShape.ListOf,
        CelShape.MapOf,
        CelShape.Structure,
        CelShape.OptionalOf,
        ResultShape {

  /** Shapes without parts. */
  enum Plain implements CelShape {
    /** Nothing is known; checked when it is there. */
    DYN,
    BOOL,
    INT,
    DOUBLE,
    STRING,
    /** A text in base64. */
    BYTES,
    /** A text as RFC 3339 has it. */
    TIMESTAMP,
    /** A text such as {@code 1h30m}. */
    DURATION,
    /** Somebody whose rights can be asked for: a {@link CelAuthorizer}. */
    AUTHORIZER,
    /** A resource whose name is known, to be asked for a verb: {@link CelVariables#resource}. */
    RESOURCE_CHECK
  }

  record ListOf(CelShape items) implements CelShape {}

  /** A map with texts as keys. */
  record MapOf(CelShape values) implements CelShape {}

  /** Something that may not be there: {@code optional.none()} when the tree is missing. */
  record OptionalOf(CelShape value) implements CelShape {}

  /**
   * A structure with known fields.
   *
   * @param name unique in an environment; two shapes of one name are one
   */
  record Structure(String name, Fields fields) implements CelShape {}

  /**
   * The fields of a structure; asked when an expression names one, so a structure may hold itself.
   */
  interface Fields {

    /** As expressions spell them. */
    Set<String> names();

    /** Of a field that is among the names. */
    CelShape shape(String name);

    /** As the JSON tree spells it. */
    default String wire(String name) {
      return name;
    }
  }
}
