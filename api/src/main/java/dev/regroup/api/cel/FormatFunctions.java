package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.regroup.api.admission.field.NameRules;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** {@code format}: named rules for texts; {@code validate} gives what is wrong, or nothing. */
final class FormatFunctions {
  private static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");
  private static final Pattern UUID =
      Pattern.compile("(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}");

  private static final Map<String, TextRule> RULES = new LinkedHashMap<>();

  static {
    rule("dns1123Label", NameRules::label);
    rule("dns1123Subdomain", NameRules::subdomain);
    rule("dns1035Label", NameRules::label1035);
    rule("qualifiedName", NameRules::qualified);
    rule("dns1123LabelPrefix", text -> NameRules.label(unfinished(text)));
    rule("dns1123SubdomainPrefix", text -> NameRules.subdomain(unfinished(text)));
    rule("dns1035LabelPrefix", text -> NameRules.label1035(unfinished(text)));
    rule("labelValue", NameRules::labelValue);
    rule("uri", FormatFunctions::uri);
    rule("uuid", text -> wrong(UUID.matcher(text).matches(), "does not match the UUID format"));
    rule("byte", FormatFunctions::base64);
    rule("date", text -> readable(text, LocalDate::parse, "invalid date"));
    rule("datetime", text -> readable(text, OffsetDateTime::parse, "invalid datetime"));
  }

  /** A rule with its name. */
  record TextRule(String name, Function<String, List<String>> problems) {}

  private FormatFunctions() {}

  private static void rule(String name, Function<String, List<String>> problems) {
    RULES.put(name, new TextRule(name, problems));
  }

  static FunctionTable table() {
    var table =
        new FunctionTable()
            .type(FORMAT, TextRule.class)
            .global(
                "format.named",
                "format_named",
                OptionalType.create(FORMAT),
                List.of(STRING),
                args -> Optional.ofNullable(RULES.get((String) args[0])))
            .member(
                "validate",
                "format_validate",
                OptionalType.create(ListType.create(STRING)),
                List.of(FORMAT, STRING),
                args -> {
                  var problems = ((TextRule) args[0]).problems().apply((String) args[1]);
                  return problems.isEmpty() ? Optional.empty() : Optional.of(problems);
                });
    for (String name : RULES.keySet()) {
      table.global(
          "format." + name,
          "format_" + name,
          FORMAT,
          List.of(),
          _ -> java.util.Objects.requireNonNull(RULES.get(name)));
    }
    return table;
  }

  /** A prefix may end where the generated part begins. */
  private static String unfinished(String prefix) {
    return prefix.length() > 1 && prefix.endsWith("-")
        ? prefix.substring(0, prefix.length() - 1) + "a"
        : prefix;
  }

  private static List<String> uri(String text) {
    try {
      boolean absolute = new URI(text).isAbsolute() || text.startsWith("/");
      return wrong(absolute, "invalid URI for request");
    } catch (URISyntaxException e) {
      return List.of("invalid URI for request");
    }
  }

  private static List<String> base64(String text) {
    try {
      var _ = Base64.getDecoder().decode(text);
      return List.of();
    } catch (IllegalArgumentException e) {
      return List.of("invalid base64");
    }
  }

  private static List<String> readable(
      String text, Function<String, Object> reader, String problem) {
    try {
      var _ = reader.apply(text);
      return List.of();
    } catch (DateTimeException e) {
      return List.of(problem);
    }
  }

  private static List<String> wrong(boolean right, String problem) {
    return right ? List.of() : List.of(problem);
  }
}
