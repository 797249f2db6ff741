package dev.regroup.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.MessageFormatter;

/**
 * The ERROR lines and uncaught exceptions of this JVM that nobody announced, as they happen on any
 * thread. Sees every line before a level can hide it: a logger that a configuration switched off
 * speaks here all the same, and a reset of the configuration does not end the watch.
 */
final class Incidents {

  private final Predicate<String> announced;
  private final ConcurrentLinkedQueue<String> surprises = new ConcurrentLinkedQueue<>();

  Incidents(Predicate<String> announced) {
    this.announced = announced;
  }

  /** Listens from now on, until the JVM ends. */
  void watch() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.addTurboFilter(new ErrorLines());
      context.addListener(new Resets());
    }
    LogManager.getLogManager().getLogger("").addHandler(new SevereLines());
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      if (met("uncaught in " + thread.getName() + ": " + failure, failure)) {
        failure.printStackTrace();
      }
    });
  }

  /** What happened since the last call. */
  List<String> take() {
    var taken = new ArrayList<String>();
    for (var line = surprises.poll(); line != null; line = surprises.poll()) {
      taken.add(line);
    }
    return taken;
  }

  /** Answers whether it is a surprise. */
  private boolean met(String line, @Nullable Throwable failure) {
    var whole = failure == null || line.endsWith(failure.toString()) ? line : line + " " + failure;
    if (announced.test(whole)) {
      return false;
    }
    surprises.add(whole);
    return true;
  }

  private final class ErrorLines extends TurboFilter {
    @Override
    public FilterReply decide(
        @Nullable Marker marker,
        Logger logger,
        Level level,
        @Nullable String format,
        Object @Nullable [] parameters,
        @Nullable Throwable failure) {
      if (level.toInt() < Level.ERROR_INT || format == null) { // null: only asks for the level
        return FilterReply.NEUTRAL;
      }
      var tuple =
          failure == null // it may be the last of the parameters
              ? MessageFormatter.arrayFormat(format, parameters)
              : MessageFormatter.arrayFormat(format, parameters, failure);
      var line = logger.getName() + " " + tuple.getMessage();
      return met(line, tuple.getThrowable()) ? FilterReply.ACCEPT : FilterReply.DENY;
    }
  }

  /** A configuration set anew takes all filters out. */
  private final class Resets implements LoggerContextListener {
    @Override
    public boolean isResetResistant() {
      return true;
    }

    @Override
    public void onReset(LoggerContext context) {
      context.addTurboFilter(new ErrorLines());
    }

    @Override
    public void onStart(LoggerContext context) {}

    @Override
    public void onStop(LoggerContext context) {}

    @Override
    public void onLevelChange(Logger logger, Level level) {}
  }

  /** The modules without a logging library speak to {@link System.Logger}. */
  private final class SevereLines extends Handler {
    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().intValue() >= java.util.logging.Level.SEVERE.intValue()) {
        met(line.getLoggerName() + " " + line.getMessage(), line.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
