package dev.regroup.api.admission.field;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What Kubernetes allows as a name, label, key or port, and the texts it refuses others with. */
public final class NameRules {

  private static final String LABEL_1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String SUBDOMAIN_1123 = LABEL_1123 + "(\\." + LABEL_1123 + ")*";
  private static final String LABEL_UNDERSCORE = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
  private static final String SEARCH_DOMAIN = LABEL_UNDERSCORE + "(\\." + LABEL_UNDERSCORE + ")*";
  private static final String LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
  private static final String QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

  private static final Pattern IS_LABEL_1123 = Pattern.compile(LABEL_1123);
  private static final Pattern IS_SUBDOMAIN_1123 = Pattern.compile(SUBDOMAIN_1123);
  private static final Pattern IS_SEARCH_DOMAIN = Pattern.compile(SEARCH_DOMAIN);
  private static final Pattern IS_LABEL_1035 = Pattern.compile(LABEL_1035);
  private static final Pattern IS_QUALIFIED = Pattern.compile(QUALIFIED);
  private static final Pattern IS_LABEL_VALUE = Pattern.compile("(" + QUALIFIED + ")?");
  private static final Pattern IS_CONFIG_KEY = Pattern.compile("[-._a-zA-Z0-9]+");
  private static final Pattern IS_HTTP_HEADER = Pattern.compile("[-A-Za-z0-9]+");
  private static final Pattern IS_PORT_CHARS = Pattern.compile("[-a-z0-9]+");
  private static final Pattern HAS_LETTER = Pattern.compile("[a-z]");

  private static final String LABEL_1123_TEXT =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and"
          + " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
          + " regex used for validation is '"
          + LABEL_1123
          + "')";
  private static final String SUBDOMAIN_1123_TEXT =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex"
          + " used for validation is '"
          + SUBDOMAIN_1123
          + "')";
  private static final String LABEL_1035_TEXT =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an"
          + " alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or"
          + " 'abc-123', regex used for validation is '"
          + LABEL_1035
          + "')";
  private static final String QUALIFIED_TEXT =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
          + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
          + " validation is '"
          + QUALIFIED
          + "')";
  private static final String LABEL_VALUE_TEXT =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
          + " 'my_value',  or '12345', regex used for validation is '("
          + QUALIFIED
          + ")?')";

  private NameRules() {}

  /** A DNS label as in container and namespace names. */
  public static List<String> label(String value) {
    var problems = new ArrayList<String>();
    if (value.length() > 63) {
      problems.add("must be no more than 63 characters");
    }
    if (!IS_LABEL_1123.matcher(value).matches()) {
      // A name that only fails for its dots gets the shorter hint.
      problems.add(
          IS_SUBDOMAIN_1123.matcher(value).matches() ? "must not contain dots" : LABEL_1123_TEXT);
    }
    return problems;
  }

  /** Several labels joined by dots, as in most object names. */
  public static List<String> subdomain(String value) {
    return subdomain(value, "characters");
  }

  /** Newer checks of Kubernetes, those of keys among them, speak of bytes. */
  private static List<String> subdomain(String value, String unit) {
    var problems = new ArrayList<String>();
    if (value.length() > 253) {
      problems.add("must be no more than 253 " + unit);
    }
    if (!IS_SUBDOMAIN_1123.matcher(value).matches()) {
      problems.add(SUBDOMAIN_1123_TEXT);
    }
    return problems;
  }

  /** A domain to search names in; DNS knows names with underscores. */
  public static List<String> searchDomain(String value) {
    var problems = new ArrayList<String>();
    if (value.length() > 253) {
      problems.add("must be no more than 253 characters");
    }
    if (!IS_SEARCH_DOMAIN.matcher(value).matches()) {
      problems.add(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_',"
              + " '-' or '.', and must start and end with an alphanumeric character (e.g."
              + " 'example.com', regex used for validation is '"
              + SEARCH_DOMAIN
              + "')");
    }
    return problems;
  }

  /** A DNS label that starts with a letter, as in service and Job names of a JobSet. */
  public static List<String> label1035(String value) {
    var problems = new ArrayList<String>();
    if (value.length() > 63) {
      problems.add("must be no more than 63 characters");
    }
    if (!IS_LABEL_1035.matcher(value).matches()) {
      problems.add(LABEL_1035_TEXT);
    }
    return problems;
  }

  private static boolean isQualified(String value) {
    int slash = value.indexOf('/');
    return (slash < 0 || isSubdomain(value, slash)) && isQualifiedName(value, slash + 1);
  }

  /** Whether the text up to there is one, as {@link #subdomain} says. */
  private static boolean isSubdomain(String value, int end) {
    if (end == 0 || end > 253) {
      return false;
    }
    boolean border = true; // the beginning, or behind a dot
    for (int i = 0; i < end; i++) {
      char c = value.charAt(i);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        border = false;
        continue;
      }
      boolean last = i + 1 == end || value.charAt(i + 1) == '.';
      if (border || (c == '-' && last) || (c != '-' && c != '.')) {
        return false;
      }
      border = c == '.';
    }
    return !border;
  }

  private static boolean isQualifiedName(String value, int begin) {
    int end = value.length();
    if (begin == end || end - begin > 63) {
      return false;
    }
    for (int i = begin; i < end; i++) {
      char c = value.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      boolean inside = i > begin && i + 1 < end && (c == '-' || c == '_' || c == '.');
      if (!letter && !inside) {
        return false;
      }
    }
    return true;
  }

  /** A key with an optional DNS prefix, as in labels and finalizers. */
  public static List<String> qualified(String value) {
    if (isQualified(value)) {
      return List.of(); // without a pattern: every write checks every key
    }
    var problems = new ArrayList<String>();
    String[] parts = value.split("/", -1);
    String name = parts[parts.length - 1];
    if (parts.length > 2) {
      problems.add(
          "a valid label key "
              + QUALIFIED_TEXT
              + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return problems;
    }
    if (parts.length == 2) {
      if (parts[0].isEmpty()) {
        problems.add("prefix part must be non-empty");
      } else {
        subdomain(parts[0], "bytes").forEach(problem -> problems.add("prefix part " + problem));
      }
    }
    if (name.isEmpty()) {
      problems.add("name part must be non-empty");
    } else if (name.length() > 63) {
      problems.add("name part must be no more than 63 bytes");
    }
    if (!IS_QUALIFIED.matcher(name).matches()) {
      problems.add("name part " + QUALIFIED_TEXT);
    }
    return problems;
  }

  public static List<String> labelValue(String value) {
    if (value.isEmpty() || isQualifiedName(value, 0)) {
      return List.of();
    }
    var problems = new ArrayList<String>();
    if (value.length() > 63) {
      problems.add("must be no more than 63 bytes");
    }
    if (!IS_LABEL_VALUE.matcher(value).matches()) {
      problems.add(LABEL_VALUE_TEXT);
    }
    return problems;
  }

  /** A key of a ConfigMap or Secret; it becomes a file name. */
  public static List<String> configKey(String value) {
    var problems = new ArrayList<String>();
    if (value.length() > 253) {
      problems.add("must be no more than 253 characters");
    }
    if (!IS_CONFIG_KEY.matcher(value).matches()) {
      problems.add(
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g."
              + " 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is"
              + " '[-._a-zA-Z0-9]+')");
    }
    if (value.equals(".")) {
      problems.add("must not be '.'");
    } else if (value.equals("..")) {
      problems.add("must not be '..'");
    } else if (value.startsWith("..")) {
      problems.add("must not start with '..'");
    }
    return problems;
  }

  public static List<String> environmentVariable(String value) {
    boolean printable = value.chars().allMatch(c -> c >= 0x20 && c <= 0x7e && c != '=');
    return printable
        ? List.of()
        : List.of(
            "a valid environment variable name must consist only of printable ASCII characters"
                + " other than '='");
  }

  public static List<String> httpHeader(String value) {
    return IS_HTTP_HEADER.matcher(value).matches()
        ? List.of()
        : List.of(
            "a valid HTTP header must consist of alphanumeric characters or '-' (e.g."
                + " 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
  }

  public static List<String> portName(String value) {
    var problems = new ArrayList<String>();
    if (value.length() > 15) {
      problems.add("must be no more than 15 characters");
    }
    if (!IS_PORT_CHARS.matcher(value).matches()) {
      problems.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if (!HAS_LETTER.matcher(value).find()) {
      problems.add("must contain at least one letter (a-z)");
    }
    if (value.contains("--")) {
      problems.add("must not contain consecutive hyphens");
    }
    if (value.startsWith("-") || value.endsWith("-")) {
      problems.add("must not begin or end with a hyphen");
    }
    return problems;
  }

  public static List<String> portNumber(long value) {
    return value >= 1 && value <= 65535
        ? List.of()
        : List.of("must be between 1 and 65535, inclusive");
  }

  /** A value such as {@code example.com/controller}; a bad domain is reported by itself. */
  public static List<FieldError> domainPrefixedPath(FieldPath path, String value) {
    if (value.isEmpty()) {
      return List.of(FieldError.required(path, ""));
    }
    int slash = value.indexOf('/');
    if (slash <= 0 || slash == value.length() - 1) {
      return List.of(
          FieldError.invalid(
              path, value, "must be a domain-prefixed path (such as \"acme.io/foo\")"));
    }
    var errors = new ArrayList<FieldError>();
    String host = value.substring(0, slash);
    String rest = value.substring(slash + 1);
    subdomain(host).forEach(problem -> errors.add(FieldError.invalid(path, host, problem)));
    if (!rest.matches("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+")) {
      errors.add(
          FieldError.invalid(
              path,
              rest,
              "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"));
    }
    return errors;
  }
}
