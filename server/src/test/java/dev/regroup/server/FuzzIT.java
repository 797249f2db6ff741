package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.server.TestServer.Carrier;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Spoiled requests, thrown at a real server. Without more words the same few hundred for each
 * target; {@code -Dfuzz.seconds=60} throws new ones that long, and with {@code -Dfuzz.inputs=1000}
 * the same thousand again and again. What fails is printed with its seed and number and written to
 * {@code target/fuzz}; added to {@code fuzz-found.jsonl}, it is sent in every build. Targets run
 * side by side, each with a server of its own.
 */
@Order(2)
class FuzzIT {

  private static final long SEED = 20261117;
  private static final int INPUTS = 500;
  private static final int REFRESH = 400;
  private static final int ENOUGH = 12;

  // What a leak exceeds in a long run, but neither the rings of changes of the servers beside each
  // other do, nor the threads of the tests beside them.
  private static final long HEAP_MAY_GROW = 512L << 20;
  private static final int THREADS_MAY_GROW = 100;

  private static final String FOUND = "fuzz-found.jsonl";
  private static final Path FAILED = Path.of("target", "fuzz");

  private static FuzzCorpus corpus;

  @TempDir Path directory;
  private TestServer server;
  private Api admin;
  private FuzzJudge judge;

  @BeforeAll
  static void read() throws IOException {
    corpus = FuzzCorpus.read();
  }

  @BeforeEach
  void start() throws Exception {
    server = TestServer.start(directory);
    admin = server.admin(Carrier.IN_PROCESS);
    judge = new FuzzJudge(admin.transport());
    makeObjects();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource
  @Execution(ExecutionMode.CONCURRENT)
  void no_input_makes_the_server_fail(FuzzTarget target) throws Exception {
    var seeds = target.seeds(corpus);
    fuzz(target.name(), (seed, number) -> List.of(target.input(seeds, corpus, seed, number)));
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void no_expression_makes_the_server_fail() throws Exception {
    for (var request : FuzzExpressions.ground()) {
      assertThat(admin.transport().send(request).status()).isEqualTo(201);
    }
    var asked = FuzzExpressions.judged();
    fuzz("EXPRESSIONS", (seed, number) -> List.of(FuzzExpressions.input(seed, number), asked));
  }

  /** The requests of a number, the same for the same seed whatever came before them. */
  private interface Inputs {
    List<Request> of(long seed, int number);
  }

  private void fuzz(String target, Inputs inputs) throws Exception {
    var seconds = Duration.ofSeconds(Long.getLong("fuzz.seconds", 0));
    long seed = Long.getLong("fuzz.seed", seconds.isZero() ? SEED : new Random().nextInt());
    int different = Integer.getInteger("fuzz.inputs", Integer.MAX_VALUE);
    var failures = new TreeMap<String, String>(); // each kind of failure once
    long heap = usedHeap();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();

    long end = System.nanoTime() + seconds.toNanos();
    int number = 0;
    while ((number < INPUTS || System.nanoTime() < end) && failures.size() < ENOUGH) {
      var requests = inputs.of(seed, number % different);
      for (var request : requests) {
        var problems = judge.problems(request);
        if (!problems.isEmpty()) {
          failures.put(sort(problems.getFirst()), kept(target, seed, number, requests, problems));
        }
      }
      if (++number % REFRESH == 0) {
        makeObjects();
      }
    }

    System.out.printf(
        "%s: seed %d, %d inputs, %d accepted%n", target, seed, number, judge.accepted());
    assertThat(failures.values()).isEmpty();
    assertThat(usedHeap() - heap).as("bytes after %d inputs", number).isLessThan(HEAP_MAY_GROW);
    awaitThreads(threads + THREADS_MAY_GROW, "threads after %d inputs".formatted(number));
  }

  /** Those of clients that other tests have dropped end some time after a collection. */
  private static void awaitThreads(int most, String what) throws InterruptedException {
    var all = ManagementFactory.getThreadMXBean();
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (all.getThreadCount() > most) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      System.gc();
      Thread.sleep(100);
    }
  }

  @Test
  void what_made_it_fail_once_does_so_no_more() throws Exception {
    try (var in = requireNonNull(FuzzIT.class.getResourceAsStream(FOUND), FOUND)) {
      for (var line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
        assertThat(judge.problems(RequestLine.parse(line).request())).as(line).isEmpty();
      }
    }
  }

  /** Every object of the recordings that can be made; most others are there already. */
  private void makeObjects() throws Exception {
    admin.post("/api/v1/namespaces/default/serviceaccounts", "{'metadata':{'name':'default'}}");
    for (Request request : corpus.all(one -> !FuzzCorpus.rulesOthers(one))) {
      if (request.method().equals("POST")) {
        admin.transport().send(request);
      }
    }
  }

  private static String kept(
      String target, long seed, int number, List<Request> requests, List<String> problems)
      throws IOException {
    var lines = requests.stream().map(one -> new RequestLine(one).write()).toList();
    Files.createDirectories(FAILED);
    Files.write(FAILED.resolve(target + "-" + seed + "-" + number + ".jsonl"), lines);
    return "seed %d, number %d: %s%n  %s%n"
        .formatted(
            seed,
            number,
            cut(String.join("\n  ", problems)),
            lines.stream().map(FuzzIT::cut).collect(Collectors.joining("\n  ")));
  }

  /** The words of a problem without those of the request. */
  private static String sort(String problem) {
    var words = problem.replaceAll("\"[^\"]{0,40}\"|[^a-zA-Z ]", "");
    return words.substring(0, Math.min(words.length(), 120));
  }

  private static String cut(String text) {
    return text.length() < 4_000 ? text : text.substring(0, 4_000) + "...";
  }

  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
