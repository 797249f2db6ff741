package dev.regroup.testing;

import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test on an ERROR line or an uncaught exception that neither it nor its class announced
 * ({@link ExpectsError}), and a class on threads that it left behind ({@link ExpectsThread}).
 *
 * <ol>
 *   <li>A test that has ended answers for everything unannounced until then; what comes later, the
 *       next test or the class does.
 *   <li>Threads are counted when the last class that is running has ended: those that were not
 *       there when the first began get a minute to end, and then fail that class. Where classes run
 *       side by side, another of them may be to blame.
 * </ol>
 *
 * JUnit makes one of it per JVM, and calls it from any thread.
 */
public final class NoSurprises
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

  // Long, as deadlines of tests are: the machine may be busy.
  private static final Duration PATIENCE = Duration.parse(System.getProperty("patience", "PT60S"));

  /** What the running classes announced, by the name of the class. */
  private final Map<String, List<Pattern>> announced = new ConcurrentHashMap<>();

  private final Incidents incidents = new Incidents(this::isAnnounced);

  // guarded by this
  private int running;
  private Set<Thread> before = Set.of();

  public NoSurprises() {
    incidents.watch();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    synchronized (this) {
      if (running++ == 0) {
        before = LiveThreads.now();
      }
    }
    announce(context, context.getRequiredTestClass());
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    announce(context, context.getRequiredTestMethod());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    failOn(incidents.take());
  }

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    try {
      failOnThreads(left(context.getRequiredTestClass()));
      failOn(incidents.take());
    } finally {
      announced.remove(context.getRequiredTestClass().getName());
    }
  }

  private void announce(ExtensionContext context, AnnotatedElement element) {
    var patterns =
        announced.computeIfAbsent(
            context.getRequiredTestClass().getName(), _ -> new CopyOnWriteArrayList<>());
    for (var expected : element.getAnnotationsByType(ExpectsError.class)) {
      patterns.add(Pattern.compile(expected.value()));
    }
  }

  private boolean isAnnounced(String line) {
    return announced.values().stream()
        .flatMap(List::stream)
        .anyMatch(pattern -> pattern.matcher(line).find());
  }

  private static void failOn(List<String> surprises) {
    if (!surprises.isEmpty()) {
      throw new AssertionError(
          "not announced with @ExpectsError:\n  " + String.join("\n  ", surprises));
    }
  }

  /** What the last class leaves; looked at before another begins, whose threads are its own. */
  private synchronized Set<Thread> left(Class<?> type) {
    if (--running > 0) {
      return Set.of();
    }
    var left = LiveThreads.now();
    left.removeAll(before);
    left.removeIf(thread -> isExpected(thread, type));
    return left;
  }

  private static void failOnThreads(Set<Thread> left) throws InterruptedException {
    var forgotten = LiveThreads.awaitEnd(left, PATIENCE);
    if (!forgotten.isEmpty()) {
      throw new AssertionError(
          forgotten.stream()
              .map(LiveThreads::words)
              .collect(
                  Collectors.joining(
                      "\n  ", "left behind and not announced with @ExpectsThread:\n  ", "")));
    }
  }

  private static boolean isExpected(Thread thread, Class<?> type) {
    return Arrays.stream(type.getAnnotationsByType(ExpectsThread.class))
        .anyMatch(expected -> thread.getName().matches(expected.value()));
  }
}
