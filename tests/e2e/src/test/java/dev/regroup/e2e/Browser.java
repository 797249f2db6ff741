package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Headless Chromium with one page, told what to do through its debugging protocol. Where there is
 * no Chromium the test is skipped and says so; in CI it must be there.
 */
final class Browser implements AutoCloseable {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Map<String, Integer> CODES = // without them a key does nothing by itself
      Map.of("Tab", 9, "Enter", 13, "Escape", 27);
  private static final Set<String> COMPLAINTS =
      Set.of("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded");
  private static final String LISTENING = "DevTools listening on ";

  private final Program program;
  private final HttpClient http = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final List<String> complaints = new ArrayList<>(); // guarded by itself
  private String session = "";

  private Browser(Program program, URI address) throws Exception {
    this.program = program;
    this.socket =
        http.newWebSocketBuilder()
            .buildAsync(address, new Listener())
            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Opens a page of this size. */
  static Browser open(Path folder, int width, int height) throws Exception {
    String chromium = find();
    var program =
        Program.command(
            Map.of("HOME", folder.toString()),
            List.of(
                chromium,
                "--headless=new",
                "--no-sandbox", // tests run as root
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                "--user-data-dir=" + folder.resolve("profile"),
                "--window-size=%d,%d".formatted(width, height),
                "about:blank"));
    try {
      String line = program.awaitLine(said -> said.contains(LISTENING), PATIENCE);
      var address = URI.create(line.substring(line.indexOf(LISTENING) + LISTENING.length()));
      var browser = new Browser(program, address);
      browser.attach(width, height);
      return browser;
    } catch (Exception | AssertionError e) {
      program.close();
      throw e;
    }
  }

  private static String find() {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      for (String name : List.of("chromium", "chromium-browser", "google-chrome")) {
        Path file = Path.of(folder, name);
        if (Files.isExecutable(file)) {
          return file.toString();
        }
      }
    }
    if (System.getenv("CI") != null) {
      fail("this test needs chromium in CI");
    }
    System.out.println("SKIPPED: no chromium on the path (apt-get install chromium)");
    return abort("no chromium");
  }

  private void attach(int width, int height) throws Exception {
    var blank = object().put("url", "about:blank");
    var target =
        object().put("targetId", call("Target.createTarget", blank).path("targetId").asText());
    session = call("Target.attachToTarget", target.put("flatten", true)).path("sessionId").asText();
    call("Page.enable", object());
    call("Runtime.enable", object());
    call("Log.enable", object());
    resize(width, height);
  }

  /** Goes there and waits until this expression is true. */
  void open(URI page, String ready) throws Exception {
    call("Page.navigate", object().put("url", page.toString()));
    await(ready);
  }

  /** Waits until the expression is true, also across a page that goes on to another. */
  void await(String expression) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        awaitHere(expression);
        return;
      } catch (AssertionError e) {
        boolean elsewhere = String.valueOf(e.getMessage()).contains("navigated");
        if (!elsewhere || System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  /** Asks again at every turn of the page. */
  private void awaitHere(String expression) throws Exception {
    evaluate(
        """
        new Promise((done, failed) => {
          const end = Date.now() + %d;
          const look = () => {
            let met = false;
            try { met = %s; } catch { met = false; }
            if (met) done(true);
            else if (Date.now() > end) failed(new Error("in vain: " + document.body?.innerText?.slice(0, 400)));
            else setTimeout(look, 10);
          };
          look();
        })\
        """
            .formatted(PATIENCE.toMillis() / 2, expression));
  }

  /** The value of an expression in the page, waited for if it is a promise. */
  JsonNode evaluate(String expression) throws Exception {
    var answer =
        call(
            "Runtime.evaluate",
            object()
                .put("expression", expression)
                .put("awaitPromise", true)
                .put("returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + answer.path("exceptionDetails"));
    }
    return answer.path("result").path("value");
  }

  /** Presses a key of one character, or one with a name. */
  void press(String key) throws Exception {
    for (String type : List.of("keyDown", "keyUp")) {
      var event = object().put("type", type).put("key", key);
      if (type.equals("keyDown") && (key.length() == 1 || key.equals("Enter"))) {
        event.put("text", key.length() == 1 ? key : "\r");
      }
      if (CODES.containsKey(key)) {
        event.put("windowsVirtualKeyCode", CODES.get(key));
      }
      call("Input.dispatchKeyEvent", event);
    }
  }

  /** Types a text where the focus is. */
  void type(String text) throws Exception {
    call("Input.insertText", object().put("text", text));
  }

  /** As a window of this size. */
  void resize(int width, int height) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        object()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", false));
  }

  /** As a machine set to dark or light colours. */
  void prefer(String scheme) throws Exception {
    var media = object();
    media.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", scheme);
    call("Emulation.setEmulatedMedia", media);
  }

  /** A picture of the page as it is, for people. */
  void screenshot(Path file) throws Exception {
    var answer = call("Page.captureScreenshot", object().put("format", "png"));
    Files.write(file, Base64.getDecoder().decode(answer.path("data").asText()));
  }

  /** What the browser complained about: errors of scripts and what they log, refused loads. */
  List<String> complaints() {
    synchronized (complaints) {
      return List.copyOf(complaints);
    }
  }

  @Override
  public void close() throws Exception {
    try {
      call("Browser.close", object());
      program.awaitExit(PATIENCE);
    } finally {
      socket.abort();
      http.close();
      program.close();
    }
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private JsonNode call(String method, ObjectNode parameters) throws Exception {
    int number = numbers.incrementAndGet();
    var answer = new CompletableFuture<JsonNode>();
    waiting.put(number, answer);
    var message = object().put("id", number).put("method", method);
    message.set("params", parameters);
    if (!session.isEmpty() && !method.startsWith("Browser.")) {
      message.put("sessionId", session);
    }
    socket.sendText(message.toString(), true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    try {
      return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(method + ": " + e.getMessage() + "\n" + program.output(), e);
    }
  }

  private void heard(String text) throws IOException {
    JsonNode message = MAPPER.readTree(text);
    var answer = waiting.remove(message.path("id").asInt(-1));
    if (answer != null && message.has("error")) {
      answer.completeExceptionally(new IOException(message.path("error").toString()));
    } else if (answer != null) {
      answer.complete(message.path("result"));
    } else if (COMPLAINTS.contains(message.path("method").asText())) {
      synchronized (complaints) {
        complaints.add(message.path("params").toString());
      }
    }
  }

  private final class Listener implements WebSocket.Listener {

    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        String whole = text.toString();
        text.setLength(0);
        try {
          heard(whole);
        } catch (IOException e) {
          waiting.values().forEach(answer -> answer.completeExceptionally(e));
        }
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }
  }
}
