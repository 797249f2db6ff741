package dev.regroup.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** Where the log of the parts goes. Set up by hand: no file to search for at every start. */
final class Logging {

  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0}: %msg%n";

  private Logging() {}

  /** Only warnings and worse, to standard error. */
  static void quiet() {
    set(Level.WARN, new ConsoleAppender<>());
  }

  /** Everything the parts have to say, to standard error. */
  static void verbose() {
    set(Level.DEBUG, new ConsoleAppender<>());
  }

  /** The log of a cluster, in its data directory. */
  static void toFile(Path file) {
    var appender = new FileAppender<ILoggingEvent>();
    appender.setFile(file.toString());
    set(Level.INFO, appender);
  }

  private static void set(Level level, OutputStreamAppender<ILoggingEvent> appender) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    context.reset();
    var encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    if (appender instanceof ConsoleAppender<ILoggingEvent> console) {
      console.setTarget("System.err");
    }
    appender.start();
    var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(level);
    root.addAppender(appender);
    context.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
  }
}
