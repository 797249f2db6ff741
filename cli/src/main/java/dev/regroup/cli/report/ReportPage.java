package dev.regroup.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * A report as one page that needs nothing else: report.json lies in it as data, and a script of
 * ours draws it. The page lets a browser run that script, by its hash, and load nothing at all.
 * Where no scripts run, the same text is shown as on a terminal.
 */
public final class ReportPage {

  private static final String FOLDER = "/dev/regroup/cli/page/";
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import .* from \"\\./[a-z]+\\.js\";\n");
  private static final Pattern EXPORT = Pattern.compile("(?m)^export ");

  private ReportPage() {}

  public static String of(JsonNode report) {
    String script = script();
    String style = resource("page.css");
    String policy =
        "default-src 'none'; base-uri 'none'; form-action 'none'; script-src '%s'; style-src '%s'"
            .formatted(hash(script), hash(style));
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="%s">
    <meta name="viewport" content="width=device-width">
    <title>%s</title>
    <style>%s</style>
    </head>
    <body>
    <main><noscript><pre>%s</pre></noscript></main>
    <script type="application/json" id="report">%s</script>
    <script type="module">%s</script>
    </body>
    </html>
    """
        .formatted(
            policy,
            escaped(title(report)),
            style,
            escaped(ReportText.of(report)),
            data(report),
            script);
  }

  /** Its modules as one: inside a page there is nobody to import from. */
  private static String script() {
    String all = resource("lanes.js") + resource("timeline.js") + resource("report.js");
    return EXPORT.matcher(IMPORT.matcher(all).replaceAll("")).replaceAll("");
  }

  /** JSON that cannot end the element it lies in. */
  private static String data(JsonNode report) {
    return report.toString().replace("<", "\\u003c");
  }

  private static String title(JsonNode report) {
    var workload = report.path("workloads").path(0);
    return workload.path("name").asText("run") + " " + report.path("result").asText();
  }

  private static String hash(String text) {
    try {
      byte[] sum =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(sum);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** A script or style that pages are made of, by the name of its file. */
  public static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException(FOLDER + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** For text and for attributes; control characters are shown, not kept. */
  static String escaped(String text) {
    var safe = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(point -> {
          switch (point) {
            case '&' -> safe.append("&amp;");
            case '<' -> safe.append("&lt;");
            case '>' -> safe.append("&gt;");
            case '"' -> safe.append("&quot;");
            case '\'' -> safe.append("&#39;");
            case '\n', '\t' -> safe.append((char) point);
            default -> {
              if (point < 0x20) {
                safe.appendCodePoint(0x2400 + point);
              } else if (point != 0x7f) {
                safe.appendCodePoint(point);
              }
            }
          }
        });
    return safe.toString();
  }
}
