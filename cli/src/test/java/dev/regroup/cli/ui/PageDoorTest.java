package dev.regroup.cli.ui;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.cli.ui.PageDoor.Verdict;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageDoorTest {

  private static final String HOST = "127.0.0.1:7070";

  private final PageDoor door = new PageDoor(new SecureRandom());

  @BeforeEach
  void open() {
    door.openedAt(7070);
  }

  @Test
  void a_stranger_gets_files_and_the_login_and_nothing_else() {
    assertThat(door.judge(get("/ui/live.js"))).isEqualTo(new Verdict.Welcome());
    assertThat(door.judge(post("/ui/api/login"))).isEqualTo(new Verdict.Welcome());
    assertThat(door.judge(get("/ui"))).isEqualTo(new Verdict.Unknown());
    assertThat(door.judge(get("/ui/api/live"))).isEqualTo(new Verdict.Unknown());
    assertThat(door.judge(post("/ui/api/restart"))).isEqualTo(new Verdict.Unknown());
    assertThat(door.judge(get("/ui/../ui/api/report"))).isEqualTo(new Verdict.Unknown());
  }

  @Test
  void the_token_gives_a_cookie_that_scripts_and_other_sites_do_not_have() {
    assertThat(door.token()).matches("[A-Za-z0-9_-]{43}"); // 32 bytes

    var cookie = door.login(door.token()).orElseThrow();

    assertThat(cookie)
        .startsWith("regroup-page-7070=")
        .endsWith("; Path=/ui; HttpOnly; SameSite=Strict")
        .doesNotContain(door.token());
    assertThat(door.judge(get("/ui").withHeader("cookie", "a=b; " + value(cookie))))
        .isEqualTo(new Verdict.Welcome());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "null"})
  void a_wrong_token_gives_nothing(String shown) {
    assertThat(door.login(shown)).isEmpty();
    assertThat(door.login(door.token() + shown).isPresent()).isEqualTo(shown.isEmpty());
  }

  @Test
  void the_token_itself_is_no_cookie() {
    var shown = get("/ui").withHeader("cookie", "regroup-page-7070=" + door.token());

    assertThat(door.judge(shown)).isEqualTo(new Verdict.Unknown());
  }

  @Test
  void a_cookie_of_another_door_is_none() {
    var other = new PageDoor(new SecureRandom());
    other.openedAt(7070);
    var cookie = value(other.login(other.token()).orElseThrow());

    assertThat(door.judge(get("/ui").withHeader("cookie", cookie)))
        .isEqualTo(new Verdict.Unknown());
  }

  @Test
  void of_many_visitors_the_oldest_has_to_come_again() {
    var first = value(door.login(door.token()).orElseThrow());
    var last = first;
    for (int i = 0; i < 64; i++) {
      last = value(door.login(door.token()).orElseThrow());
    }

    assertThat(door.judge(get("/ui").withHeader("cookie", first))).isEqualTo(new Verdict.Unknown());
    assertThat(door.judge(get("/ui").withHeader("cookie", last))).isEqualTo(new Verdict.Welcome());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:7070",
        "127.0.0.1",
        "127.0.0.1:7071",
        "127.0.0.1.evil.example:7070",
        "[::1]:7070",
        ""
      })
  void another_name_does_not_lead_here(String host) {
    var request = Request.get("/ui", "").withHeader("host", host);

    assertThat(code(door.judge(request))).isEqualTo(403);
  }

  @Test
  void localhost_is_ours_and_two_hosts_are_not() {
    var local = Request.get("/ui/live.js", "").withHeader("host", "localhost:7070");

    assertThat(door.judge(local)).isEqualTo(new Verdict.Welcome());
    assertThat(code(door.judge(local.withHeader("host", HOST)))).isEqualTo(403);
    assertThat(code(door.judge(Request.get("/ui", "")))).isEqualTo(403);
  }

  @Test
  void what_changes_something_needs_the_header_of_the_page() {
    var form = new Request("POST", "/ui/api/login", "", Headers.of("host", HOST), new byte[0]);

    assertThat(code(door.judge(form))).isEqualTo(403);
    assertThat(code(door.judge(new Request("PUT", "/ui", "", form.headers(), new byte[0]))))
        .isEqualTo(405);
  }

  @Test
  void another_page_gets_nothing_even_with_the_cookie() {
    var cookie = value(door.login(door.token()).orElseThrow());
    var known = get("/ui/api/report").withHeader("cookie", cookie);

    assertThat(door.judge(known.withHeader("sec-fetch-site", "same-origin")))
        .isEqualTo(new Verdict.Welcome());
    assertThat(code(door.judge(known.withHeader("sec-fetch-site", "same-site")))).isEqualTo(403);
    assertThat(code(door.judge(known.withHeader("origin", "http://127.0.0.1:8080"))))
        .isEqualTo(403);
    assertThat(door.judge(known.withHeader("origin", "http://" + HOST)))
        .isEqualTo(new Verdict.Welcome());
  }

  @Test
  void nobody_is_let_in_before_the_port_is_known() {
    var closed = new PageDoor(new SecureRandom());

    assertThat(code(closed.judge(get("/ui/live.js")))).isEqualTo(403);
  }

  private static Request get(String path) {
    return Request.get(path, "").withHeader("host", HOST);
  }

  private static Request post(String path) {
    return new Request("POST", path, "", Headers.of("host", HOST), new byte[0])
        .withHeader(PageDoor.OWN_HEADER, "1");
  }

  private static int code(Verdict verdict) {
    return verdict instanceof Verdict.Refused(int code, _) ? code : 0;
  }

  private static String value(String cookie) {
    return cookie.substring(0, cookie.indexOf(';'));
  }
}
