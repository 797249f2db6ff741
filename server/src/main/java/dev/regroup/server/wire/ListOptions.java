package dev.regroup.server.wire;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the query of a list or watch says beside its selectors.
 *
 * @param resourceVersion as sent; empty when absent
 * @param limit zero for no limit
 * @param timeout empty for none
 */
public record ListOptions(
    String resourceVersion,
    Match match,
    long limit,
    String continueToken,
    Optional<Duration> timeout,
    boolean bookmarks,
    InitialEvents initialEvents) {

  /** Seconds of a year: as good as for ever, and every clock can count them. */
  private static final long LONGEST_TIMEOUT = 365L * 24 * 60 * 60;

  /** How exactly the resource version is meant. */
  public enum Match {
    UNSET,
    EXACT,
    NOT_OLDER_THAN
  }

  /** Whether a watch begins with the objects that are there. */
  public enum InitialEvents {
    UNSET,
    SEND,
    SKIP
  }

  private static final FieldPath MATCH = FieldPath.of("resourceVersionMatch");

  public static ListOptions of(RequestQuery query, boolean watch) throws Refused {
    var version = query.text("resourceVersion");
    var matchText = query.text("resourceVersionMatch");
    var continueToken = query.text("continue");
    var initial =
        query.first("sendInitialEvents").isEmpty()
            ? InitialEvents.UNSET
            : query.flag("sendInitialEvents") ? InitialEvents.SEND : InitialEvents.SKIP;
    long limit = Math.max(0, query.number("limit").orElse(0));
    var seconds = query.number("timeoutSeconds");
    var errors =
        watch
            ? watchErrors(matchText, continueToken, initial)
            : listErrors(matchText, version, continueToken, initial);
    WriteParameters.refuseIfAny(errors, "ListOptions");
    return new ListOptions(
        version,
        match(matchText),
        limit,
        continueToken,
        seconds.isPresent() && seconds.getAsLong() > 0
            ? Optional.of(Duration.ofSeconds(Math.min(LONGEST_TIMEOUT, seconds.getAsLong())))
            : Optional.empty(),
        query.flag("allowWatchBookmarks"),
        initial);
  }

  /** The version as a number; empty and 0 are both 0. */
  public long revision() throws BadVersion {
    return parse(resourceVersion);
  }

  /** A resource version that is no number. */
  public static final class BadVersion extends Exception {
    BadVersion(String text) {
      super(
          "strconv.ParseUint: parsing " + GoText.quote(text) + ": invalid syntax",
          null,
          false,
          false);
    }
  }

  public static long parse(String text) throws BadVersion {
    if (text.isEmpty()) {
      return 0;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new BadVersion(text);
    }
    throw new BadVersion(text);
  }

  private static Match match(String text) {
    return switch (text) {
      case "Exact" -> Match.EXACT;
      case "NotOlderThan" -> Match.NOT_OLDER_THAN;
      default -> Match.UNSET;
    };
  }

  private static List<FieldError> listErrors(
      String match, String version, String continueToken, InitialEvents initial) {
    var errors = new ArrayList<FieldError>();
    if (!match.isEmpty()) {
      if (version.isEmpty()) {
        errors.add(
            FieldError.forbidden(
                MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
      }
      if (!continueToken.isEmpty()) {
        errors.add(
            FieldError.forbidden(
                MATCH, "resourceVersionMatch is forbidden when continue is provided"));
      }
      if (match(match) == Match.UNSET) {
        errors.add(FieldError.notSupported(MATCH, match, List.of("Exact", "NotOlderThan", "")));
      }
      if (match(match) == Match.EXACT && version.equals("0")) {
        errors.add(
            FieldError.forbidden(
                MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
      }
    }
    if (initial != InitialEvents.UNSET) {
      errors.add(
          FieldError.forbidden(
              FieldPath.of("sendInitialEvents"), "sendInitialEvents is forbidden for list"));
    }
    return errors;
  }

  private static List<FieldError> watchErrors(
      String match, String continueToken, InitialEvents initial) {
    var errors = new ArrayList<FieldError>();
    if (initial != InitialEvents.UNSET && match(match) != Match.NOT_OLDER_THAN) {
      errors.add(
          FieldError.forbidden(
              MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    if (match.isEmpty()) {
      return errors;
    }
    if (initial == InitialEvents.UNSET) {
      errors.add(
          FieldError.forbidden(
              MATCH,
              "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (match(match) != Match.NOT_OLDER_THAN) {
      errors.add(FieldError.notSupported(MATCH, match, List.of("NotOlderThan")));
    }
    if (!continueToken.isEmpty()) {
      errors.add(
          FieldError.forbidden(
              MATCH, "resourceVersionMatch is forbidden when continue is provided"));
    }
    return errors;
  }
}
