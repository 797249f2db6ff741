package dev.regroup.api.tree;

import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import org.jspecify.annotations.Nullable;

/**
 * A time as nearly all are written, {@code 2026-01-01T00:00:00Z}, read without the machinery for
 * all others. A pod carries a dozen of them, and controllers read every revision of every pod.
 */
final class PlainTime {

  private static final String FORM = "0000-00-00T00:00:00Z"; // a digit where there is a 0

  private PlainTime() {}

  /** Null for any other form, and for what no clock shows. */
  static @Nullable Instant read(String text) {
    if (!hasForm(text)) {
      return null;
    }
    int year = number(text, 0, 4);
    int month = number(text, 5, 7);
    int day = number(text, 8, 10);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) {
      return null;
    }
    if (day > 28 && day > YearMonth.of(year, month).lengthOfMonth()) {
      return null;
    }
    long days = LocalDate.of(year, month, day).toEpochDay();
    return Instant.ofEpochSecond(((days * 24 + hour) * 60 + minute) * 60 + second);
  }

  private static boolean hasForm(String text) {
    if (text.length() != FORM.length()) {
      return false;
    }
    for (int i = 0; i < FORM.length(); i++) {
      char wanted = FORM.charAt(i);
      char found = text.charAt(i);
      if (wanted == '0' ? found < '0' || found > '9' : found != wanted) {
        return false;
      }
    }
    return true;
  }

  private static int number(String text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      number = number * 10 + text.charAt(i) - '0';
    }
    return number;
  }
}
