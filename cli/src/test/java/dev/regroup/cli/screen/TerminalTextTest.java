package dev.regroup.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TerminalTextTest {

  private static final String ESC = "\u001b";

  @Test
  void what_people_write_stays_as_it_is() {
    String text =
        "step\t1 of 3 \u2714 \u65e5\u672c\u8a9e \u05e2\u05d1\u05e8\u05d9\u05ea \ud83d\ude80\nnext";

    assertThat(TerminalText.plain(text)).isSameAs(text);
  }

  @Test
  void control_characters_are_shown_and_never_sent() {
    assertThat(TerminalText.plain(ESC + "]0;title\u0007a\rb\bc\u0000"))
        .isEqualTo("\u241b]0;title\u2407a\u240db\u2408c\u2400");
    assertThat(TerminalText.plain("\u009b31m\u007f")).isEqualTo("<U+009B>31m<U+007F>");
  }

  @Test
  void letters_cannot_be_turned_around() {
    assertThat(TerminalText.plain("a\u202eb\u2066c\u200fd\u2028e"))
        .isEqualTo("a<U+202E>b<U+2066>c<U+200F>d<U+2028>e");
  }

  @Test
  void a_log_line_keeps_its_colours_and_they_end_with_it() {
    assertThat(TerminalText.painted(ESC + "[1;31mred" + ESC + "[0m " + ESC + "[38;5;9mmore"))
        .isEqualTo(ESC + "[1;31mred" + ESC + "[0m " + ESC + "[38;5;9mmore" + ESC + "[0m");
  }

  @Test
  void a_log_line_keeps_nothing_else() {
    assertThat(
            TerminalText.painted(
                ESC + "[2J" + ESC + "[8mhidden" + ESC + "[0;8mtoo" + ESC + "]52;c;x\u0007"))
        .isEqualTo("\u241b[2J\u241b[8mhidden\u241b[0;8mtoo\u241b]52;c;x\u2407");
  }

  @Test
  void the_screen_filters_whatever_way_it_is_written_to() {
    var screen = new StringWriter();
    PrintWriter err = Screen.safe(screen);

    err.print('\u001b');
    err.print(ESC + "[2J");
    err.write(new char[] {'\u001b', 'c'});
    err.printf("%s", ESC);
    err.flush();

    assertThat(screen.toString()).isEqualTo("\u241b\u241b[2J\u241bc\u241b");
  }
}
