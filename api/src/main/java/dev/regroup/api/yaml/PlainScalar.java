package dev.regroup.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * What an unquoted word means. As kubectl reads it: YAML 1.1's booleans and octal numbers count, so
 * that {@code mode: 0644} is 420.
 */
final class PlainScalar {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final Pattern DECIMAL = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
  private static final Pattern OCTAL = Pattern.compile("[-+]?0o?[0-7]+");
  private static final Pattern HEX = Pattern.compile("[-+]?0x[0-9a-fA-F]+");
  private static final Pattern FLOAT =
      Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?");

  private static final int MAX_DIGITS = 1_000;

  private PlainScalar() {}

  static JsonNode resolve(String word) {
    return switch (word) {
      case "", "~", "null", "Null", "NULL" -> JSON.nullNode();
      case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON" -> JSON.booleanNode(true);
      case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF" ->
          JSON.booleanNode(false);
      default -> number(word);
    };
  }

  private static JsonNode number(String word) {
    if (word.length() > MAX_DIGITS) {
      return JSON.textNode(word); // no field holds such a number, and reading it takes seconds
    }
    if (DECIMAL.matcher(word).matches()) {
      return integer(word, 10);
    }
    if (OCTAL.matcher(word).matches()) {
      return integer(word.replaceFirst("0o?", ""), 8);
    }
    if (HEX.matcher(word).matches()) {
      return integer(word.replaceFirst("0x", ""), 16);
    }
    if (FLOAT.matcher(word).matches()) {
      return JSON.numberNode(new BigDecimal(word));
    }
    return JSON.textNode(word);
  }

  private static JsonNode integer(String digits, int radix) {
    var value = new BigInteger(digits, radix);
    if (value.bitLength() < 32) {
      return JSON.numberNode(value.intValue());
    }
    return value.bitLength() < 64 ? JSON.numberNode(value.longValue()) : JSON.numberNode(value);
  }
}
