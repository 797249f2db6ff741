package dev.regroup.server.wire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client wants to be answered with.
 *
 * @param as the wanted transformation ({@code Table}, {@code PartialObjectMetadata}, ...), empty
 *     for the object itself
 */
public record Accept(Format format, String as, String group, String version) {

  /** Encodings of an answer. */
  public enum Format {
    JSON("application/json"),
    YAML("application/yaml"),
    PROTOBUF("application/vnd.kubernetes.protobuf");

    private final String mediaType;

    Format(String mediaType) {
      this.mediaType = mediaType;
    }

    public String mediaType() {
      return mediaType;
    }
  }

  public static final Accept PLAIN_JSON = new Accept(Format.JSON, "", "", "");

  /** One entry of an Accept header. */
  private record Clause(String type, Map<String, String> parameters, double quality) {}

  /** Decides which of the wanted kinds can be served. */
  @FunctionalInterface
  public interface Offer {
    boolean serves(Format format, String as, String group, String version);
  }

  /** The object itself and nothing else. */
  public static final Offer OBJECT_ONLY = (_, as, _, _) -> as.isEmpty();

  /** Returns the best match, or null when the client accepts nothing that there is. */
  public static @Nullable Accept choose(List<String> headers, Offer offer) {
    var clauses = parse(headers);
    if (clauses.isEmpty()) {
      return offer.serves(Format.JSON, "", "", "") ? PLAIN_JSON : null;
    }
    for (var clause : clauses) {
      var format = format(clause.type());
      if (format == null) {
        continue;
      }
      var as = clause.parameters().getOrDefault("as", "");
      var group = clause.parameters().getOrDefault("g", "");
      var version = clause.parameters().getOrDefault("v", "");
      if (offer.serves(format, as, group, version)) {
        return new Accept(format, as, group, version);
      }
    }
    return null;
  }

  /** How a {@code Status} is told: as the client wants it, and else as JSON. */
  public static Accept ofStatus(List<String> headers) {
    var accept = choose(headers, OBJECT_ONLY);
    return accept == null ? PLAIN_JSON : accept;
  }

  public static Status notAcceptable() {
    return new Status(
        406,
        Status.Reason.NOT_ACCEPTABLE,
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml,"
            + " application/vnd.kubernetes.protobuf",
        Status.Details.EMPTY);
  }

  /** A known format in a form that is not. */
  public static Status unknownForm() {
    return new Status(
        406,
        Status.Reason.NOT_ACCEPTABLE,
        "only the following media types are accepted: application/json, application/yaml,"
            + " application/vnd.kubernetes.protobuf",
        Status.Details.EMPTY);
  }

  /** Whether something is asked for that could be served, were it not for its parameters. */
  public static boolean asksForForm(List<String> headers) {
    return parse(headers).stream()
        .anyMatch(clause -> format(clause.type()) != null && clause.parameters().containsKey("as"));
  }

  private static @Nullable Format format(String type) {
    return switch (type) {
      case "*/*", "application/json" -> Format.JSON;
      case "application/yaml" -> Format.YAML;
      case "application/vnd.kubernetes.protobuf" -> Format.PROTOBUF;
      default -> null;
    };
  }

  private static List<Clause> parse(List<String> headers) {
    var clauses = new ArrayList<Clause>();
    for (var header : headers) {
      for (var part : header.split(",", -1)) {
        if (part.isBlank()) {
          continue;
        }
        var pieces = part.split(";", -1);
        var parameters = new HashMap<String, String>();
        for (int i = 1; i < pieces.length; i++) {
          int at = pieces[i].indexOf('=');
          if (at > 0) {
            parameters.put(pieces[i].substring(0, at).strip(), pieces[i].substring(at + 1).strip());
          }
        }
        clauses.add(
            new Clause(
                pieces[0].strip().toLowerCase(Locale.ROOT),
                parameters,
                quality(parameters.getOrDefault("q", "1"))));
      }
    }
    clauses.sort(Comparator.comparingDouble(Clause::quality).reversed()); // stable
    return clauses;
  }

  private static double quality(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 1;
    }
  }
}
