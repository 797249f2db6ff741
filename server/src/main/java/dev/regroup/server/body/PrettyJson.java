package dev.regroup.server.body;

import dev.regroup.client.Request;
import dev.regroup.client.Response;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** JSON for eyes: for those who ask with {@code pretty}, and for browsers, curl and Wget. */
public final class PrettyJson {
  private static final List<String> NO = List.of("pretty=false", "pretty=0");
  private static final List<String> EYES = List.of("curl", "Wget", "Mozilla/5.0");

  private final ByteArrayOutputStream out;
  private int depth;

  private PrettyJson(int size) {
    this.out = new ByteArrayOutputStream(size);
  }

  /** The response as it is, or indented when the request wants it so. */
  public static Response of(Request request, Response response) {
    boolean json =
        response.headers().first("content-type").filter("application/json"::equals).isPresent();
    if (!json || !isWanted(request)) {
      return response;
    }
    var body = new PrettyJson(response.body().length * 2).indented(response.body());
    return new Response(response.status(), response.headers(), body);
  }

  private static boolean isWanted(Request request) {
    for (var parameter : request.query().split("&", -1)) {
      if (parameter.startsWith("pretty=")) {
        return !NO.contains(parameter);
      }
    }
    var program = request.headers().first("user-agent").orElse("");
    return EYES.stream().anyMatch(program::startsWith);
  }

  private byte[] indented(byte[] json) {
    boolean text = false;
    for (int i = 0; i < json.length; i++) {
      byte b = json[i];
      if (text) {
        out.write(b);
        if (b == '\\') {
          out.write(json[++i]);
        }
        text = b != '"';
      } else if ((b == '{' || b == '[') && i + 1 < json.length && json[i + 1] == b + 2) {
        out.write(b);
        out.write(json[++i]); // nothing inside
      } else {
        structure(b);
        text = b == '"';
      }
    }
    return out.toByteArray();
  }

  private void structure(byte b) {
    switch (b) {
      case '{', '[' -> {
        out.write(b);
        depth++;
        line();
      }
      case '}', ']' -> {
        depth--;
        line();
        out.write(b);
      }
      case ',' -> {
        out.write(b);
        line();
      }
      case ':' -> {
        out.write(b);
        out.write(' ');
      }
      default -> out.write(b);
    }
  }

  private void line() {
    out.write('\n');
    for (int i = 0; i < depth; i++) {
      out.write(' ');
      out.write(' ');
    }
  }
}
