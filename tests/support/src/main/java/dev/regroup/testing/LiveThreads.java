package dev.regroup.testing;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The threads alive in this JVM, virtual ones included, but those of the JVM and of the test
 * runner. The JDK lists virtual threads only in a package it does not export; the build opens it
 * ({@code --add-exports java.base/jdk.internal.vm}). Without that only platform threads are seen.
 */
final class LiveThreads {

  /** Pools of the JDK that live as long as the JVM, and the runner of the tests. */
  private static final Pattern FOREIGN =
      Pattern.compile(
          "main|ForkJoinPool.*|surefire.*|junit-.*|process reaper.*|Cleaner-.*|Keep-Alive.*"
              + "|HttpClient-.*|HTTP-Dispatcher|SubPoller-.*|.*delayScheduler|CompletableFutureDelayScheduler"
              + "|ping-.*|last-ditch-.*|timeout-.*");

  private static final Set<String> GROUPS_OF_THE_JVM =
      Set.of("system", "InnocuousThreadGroup", "InnocuousForkJoinWorkerThreadGroup");

  private LiveThreads() {}

  static Set<Thread> now() {
    Set<Thread> threads = Collections.newSetFromMap(new IdentityHashMap<>());
    threads.addAll(Thread.getAllStackTraces().keySet());
    threads.addAll(virtual());
    threads.removeIf(LiveThreads::isForeign);
    return threads;
  }

  /** Waits until these have ended, all together no longer than the limit; returns who has not. */
  static List<Thread> awaitEnd(Set<Thread> threads, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    var left = new ArrayList<Thread>();
    for (var thread : threads) {
      if (!thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        left.add(thread);
      }
    }
    return left;
  }

  /** Its name and where it stands. */
  static String words(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .limit(12)
        .map(frame -> "\n    at " + frame)
        .collect(Collectors.joining("", thread.toString(), ""));
  }

  private static boolean isForeign(Thread thread) {
    var group = thread.getThreadGroup();
    return thread.equals(Thread.currentThread())
        || FOREIGN.matcher(thread.getName()).matches()
        || (group != null && GROUPS_OF_THE_JVM.contains(group.getName()));
  }

  private static List<Thread> virtual() {
    try {
      var containers = Class.forName("jdk.internal.vm.ThreadContainers");
      var container = Class.forName("jdk.internal.vm.ThreadContainer");
      return below(
          containers.getMethod("root").invoke(null),
          container.getMethod("threads"),
          container.getMethod("children"));
    } catch (IllegalAccessException e) {
      return List.of(); // not started by the build: platform threads only
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JDK keeps its threads elsewhere", e);
    }
  }

  private static List<Thread> below(Object container, Method threads, Method children)
      throws ReflectiveOperationException {
    var found = new ArrayList<Thread>();
    ((Stream<?>) threads.invoke(container))
        .map(Thread.class::cast)
        .filter(Thread::isVirtual)
        .forEach(found::add);
    for (var child : ((Stream<?>) children.invoke(container)).toList()) {
      found.addAll(below(child, threads, children));
    }
    return found;
  }
}
