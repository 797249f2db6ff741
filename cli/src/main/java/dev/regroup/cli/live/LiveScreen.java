package dev.regroup.cli.live;

import dev.regroup.cli.live.ViewModel.Line;
import dev.regroup.cli.live.ViewModel.Page;
import dev.regroup.cli.live.ViewModel.Purpose;
import dev.regroup.cli.run.InterruptSignals;
import dev.regroup.cli.run.RunScreen;
import dev.regroup.cli.run.RunView;
import dev.regroup.cli.screen.Screen;
import java.io.Console;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a run as a picture that moves. Draws when something changed, at most ten times a second,
 * and of a frame only the lines that differ, with one write. Closing it, the end of the program by
 * a signal and a fault of its own all leave the terminal as it was.
 */
public final class LiveScreen implements RunScreen, AutoCloseable {

  private static final Duration PACE = Duration.ofMillis(100);
  private static final Duration TICK = Duration.ofSeconds(1); // the clock in the header
  private static final int MOST_EVENTS = 2_000;
  private static final int LONGEST = 1_000; // characters of a line

  private final Instant began;
  private final Purpose purpose;
  private final Runnable onQuit;
  private final Heard heard; // guarded by this
  private final Deque<Line> events = new ArrayDeque<>(); // guarded by this
  private Page page = Page.LOGS; // guarded by this
  private int chosen = -1; // guarded by this
  private @Nullable String typed; // guarded by this
  private boolean stopping; // guarded by this
  private boolean dirty = true; // guarded by this
  private boolean resized = true; // guarded by this
  private boolean closed; // guarded by this
  private @Nullable Supplier<RunView> run; // guarded by this
  private @Nullable RawTerminal terminal; // guarded by this
  private @Nullable Thread drawing;
  private @Nullable Thread listening;
  private @Nullable Thread hook;

  private LiveScreen(Instant began, Purpose purpose, Runnable onQuit) {
    this.began = began;
    this.heard = new Heard(began);
    this.purpose = purpose;
    this.onQuit = onQuit;
  }

  /** For a run that ends with {@code q}. */
  public static LiveScreen ofRun(Runnable onQuit) {
    return new LiveScreen(Instant.now(), Purpose.RUN, onQuit);
  }

  /** For somebody who only looks. */
  public static LiveScreen ofWatch(Instant began, Runnable onQuit) {
    return new LiveScreen(began, Purpose.WATCH, onQuit);
  }

  /** Whether somebody sits there: what goes in and what comes out is a terminal. */
  public static boolean isPossible() {
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)
        && !System.getenv().getOrDefault("TERM", "dumb").equals("dumb")
        && RawTerminal.isThere();
  }

  /** Takes the terminal; false if that is not possible, then nothing will be shown. */
  public boolean open(Supplier<RunView> shown) {
    var opened = RawTerminal.open();
    if (opened.isEmpty()) {
      return false;
    }
    synchronized (this) {
      run = shown;
      terminal = opened.get();
    }
    hook = Thread.ofPlatform().unstarted(opened.get()::close);
    Runtime.getRuntime().addShutdownHook(hook);
    InterruptSignals.on("WINCH", this::resized);
    drawing = Thread.ofPlatform().daemon().name("live-draw").start(() -> draw(opened.get()));
    listening = Thread.ofPlatform().daemon().name("live-keys").start(() -> listen(opened.get()));
    return true;
  }

  @Override
  public synchronized void said(Duration since, String line) {
    add(events, new Line(since, "", shown(line)));
    change();
  }

  @Override
  public synchronized void note(String line) {
    add(events, new Line(Duration.between(began, Instant.now()), "", shown(line)));
    change();
  }

  @Override
  public synchronized void output(Source source, Instant at, String line) {
    heard.output(source, at, Instant.now(), shown(line));
    change();
  }

  @Override
  public synchronized void changed() {
    change();
  }

  @Override
  public void close() {
    RawTerminal open;
    synchronized (this) {
      closed = true;
      open = terminal;
      notifyAll();
    }
    if (open == null) {
      return;
    }
    open.close();
    try {
      if (drawing != null) {
        drawing.join();
      }
      if (listening != null) {
        listening.join();
      }
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      return; // the program ends already, and the hook has done it
    }
  }

  private static String shown(String line) {
    String safe = Screen.unpainted(line.replaceAll("\\R+", " "));
    return safe.length() > LONGEST ? safe.substring(0, LONGEST) : safe;
  }

  private static void add(Deque<Line> lines, Line line) {
    lines.addLast(line);
    if (lines.size() > MOST_EVENTS) {
      lines.removeFirst();
    }
  }

  private void change() {
    dirty = true;
    notifyAll();
  }

  private synchronized void resized() {
    resized = true;
    change();
  }

  private void draw(RawTerminal screen) {
    List<String> before = List.of();
    RawTerminal.Size size = screen.size();
    try {
      while (awaitChange()) {
        boolean all = takeResized();
        if (all) {
          size = screen.size();
        }
        var frame = Frame.of(model(), size.columns(), size.rows());
        String changes = Paint.changes(all ? List.of() : before, frame);
        if (!changes.isEmpty()) {
          screen.write((all ? Paint.CLEAR : "") + changes);
        }
        before = frame;
        Thread.sleep(PACE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      screen.close(); // somebody took the terminal away; the run goes on
    } catch (RuntimeException bug) {
      screen.close(); // whatever it was, it must not cost the terminal
      throw bug;
    }
  }

  /** False when it is over. */
  private synchronized boolean awaitChange() throws InterruptedException {
    long end = System.nanoTime() + TICK.toNanos();
    for (long left = TICK.toMillis(); !dirty && !closed && left > 0; ) {
      wait(left);
      left = (end - System.nanoTime()) / 1_000_000;
    }
    dirty = false;
    return !closed;
  }

  private synchronized boolean takeResized() {
    boolean was = resized;
    resized = false;
    return was;
  }

  private ViewModel model() {
    Supplier<RunView> source;
    synchronized (this) {
      source = Objects.requireNonNull(run, "run");
    }
    var view = source.get(); // not under our lock: it has its own
    synchronized (this) {
      var now = Instant.now();
      String pod =
          chosen >= 0 && chosen < view.workers().size() ? view.workers().get(chosen).pod() : "";
      var step = heard.step();
      return new ViewModel(
          view,
          now,
          step == null ? view.step() : step,
          heard.left(now),
          heard.silent(view, now),
          page,
          page == Page.EVENTS ? List.copyOf(events) : heard.lines(pod),
          chosen,
          typed,
          purpose,
          stopping);
    }
  }

  private void listen(RawTerminal screen) {
    try {
      for (byte[] keys = screen.keys(); keys.length > 0; keys = screen.keys()) {
        if (keys[0] != 0x1b) { // no arrows or other sequences
          for (byte key : keys) {
            press((char) key);
          }
        }
      }
    } catch (IOException e) {
      return; // no keys any more; the rest goes on
    }
  }

  private void press(char key) {
    boolean quit = false;
    synchronized (this) {
      if (typed != null) {
        type(key);
      } else {
        switch (key) {
          case 'l' -> {
            page = Page.LOGS;
            typed = "";
          }
          case 'e' -> page = Frame.toggled(page, Page.EVENTS);
          case 'r' -> page = Frame.toggled(page, Page.RESTARTS);
          case 'q' -> {
            stopping = purpose == Purpose.RUN;
            quit = true;
          }
          default -> {}
        }
      }
      change();
    }
    if (quit) {
      onQuit.run();
    }
  }

  private void type(char key) {
    String so = Objects.requireNonNull(typed, "typed");
    if (key == '\n' || key == '\r') {
      chosen = so.isEmpty() ? -1 : Integer.parseInt(so);
      typed = null;
    } else if (key == 0x7f || key == '\b') {
      typed = so.isEmpty() ? so : so.substring(0, so.length() - 1);
    } else if (key >= '0' && key <= '9' && so.length() < 6) {
      typed = so + key;
    } else if (key < '0' || key > '9') {
      typed = null;
    }
  }
}
