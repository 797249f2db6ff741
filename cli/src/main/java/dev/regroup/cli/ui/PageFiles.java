package dev.regroup.cli.ui;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.cli.report.ReportPage;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import java.util.Map;
import java.util.Optional;

/** The files of the page, and the headers that tell a browser to let nothing else happen. */
final class PageFiles {

  static final String PAGE = "/ui";
  static final String API = PAGE + "/api/";
  static final String LOGIN = API + "login";

  private static final String JSON = "application/json";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** What they are; none holds anything of a cluster, so everybody may read them. */
  private static final Map<String, String> FILES =
      Map.of(
          "page.css", STYLE,
          "live.css", STYLE,
          "live.js", SCRIPT,
          "cells.js", SCRIPT,
          "panes.js", SCRIPT,
          "report.js", SCRIPT,
          "timeline.js", SCRIPT,
          "lanes.js", SCRIPT,
          "login.js", SCRIPT,
          "icon.svg", "image/svg+xml");

  private static final Map<String, String> GUARDS =
      Map.of(
          "content-security-policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src"
              + " 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "x-content-type-options",
          "nosniff",
          "referrer-policy",
          "no-referrer",
          "x-frame-options",
          "DENY",
          "cross-origin-resource-policy",
          "same-origin",
          "cross-origin-opener-policy",
          "same-origin");

  private PageFiles() {}

  static boolean isForEverybody(String path) {
    return isDetour(path) || FILES.containsKey(name(path));
  }

  /** What people type instead of the page. */
  static boolean isDetour(String path) {
    return path.equals("/") || path.equals(PAGE + "/");
  }

  /** A file by its path; the page itself is not among them. */
  static Optional<Response> file(String path) {
    String name = name(path);
    return Optional.ofNullable(FILES.get(name))
        .map(type -> answer(200, type, ReportPage.resource(name)));
  }

  static Response page() {
    return answer(200, HTML, ReportPage.resource("live.html"));
  }

  /** For whoever is not logged in: says what to do, and does it if the link has the token. */
  static Response login() {
    return answer(401, HTML, ReportPage.resource("login.html"));
  }

  static Response json(int code, String body) {
    return answer(code, JSON, body);
  }

  static Response text(int code, String text) {
    return answer(code, "text/plain; charset=utf-8", text + "\n");
  }

  static Response elsewhere(String path) {
    return new Response(302, guarded("text/plain").and("location", path), new byte[0]);
  }

  /** The headers of every answer. */
  static Headers guarded(String type) {
    var headers = Headers.of("content-type", type);
    for (var guard : GUARDS.entrySet()) {
      headers = headers.and(guard.getKey(), guard.getValue());
    }
    return headers;
  }

  private static Response answer(int code, String type, String body) {
    return new Response(code, guarded(type), body.getBytes(UTF_8));
  }

  private static String name(String path) {
    return path.startsWith(PAGE + "/") ? path.substring(PAGE.length() + 1) : "";
  }
}
