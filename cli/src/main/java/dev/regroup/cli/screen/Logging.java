package dev.regroup.cli.screen;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Where the log of the parts goes. Set up by hand: no file to search for at every start. */
public final class Logging {

  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level [%thread] %logger{0}: %msg%n";

  private static final AtomicInteger ERRORS = new AtomicInteger();
  private static final AtomicReference<@Nullable String> FIRST_ERROR = new AtomicReference<>();

  private Logging() {}

  /** Only warnings and worse, to standard error. */
  public static void quiet() {
    set(Level.WARN, new ConsoleAppender<>());
  }

  /** What happens, to standard error: for a program that nobody sits in front of. */
  public static void informative() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).getLevel() == Level.DEBUG) {
      return; // --debug says more
    }
    set(Level.INFO, new ConsoleAppender<>());
  }

  /** Everything the parts have to say, to standard error. */
  public static void verbose() {
    set(Level.DEBUG, new ConsoleAppender<>());
  }

  /** Everything of note to a file, nothing to the screen. */
  public static void toFile(Path file) {
    var appender =
        new FileAppender<ILoggingEvent>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
              ERRORS.incrementAndGet();
              FIRST_ERROR.compareAndSet(null, text(event));
            }
            super.append(event);
          }
        };
    appender.setFile(file.toString());
    set(Level.INFO, appender);
  }

  /** How many errors went to the file. */
  public static int errors() {
    return ERRORS.get();
  }

  /** What the first of them said, in one line. */
  public static Optional<String> firstError() {
    return Optional.ofNullable(FIRST_ERROR.get());
  }

  private static String text(ILoggingEvent event) {
    var name = event.getLoggerName();
    var text = name.substring(name.lastIndexOf('.') + 1) + ": " + event.getFormattedMessage();
    var cause = event.getThrowableProxy();
    return TerminalText.plain(
        cause == null
            ? text
            : "%s: %s: %s".formatted(text, cause.getClassName(), cause.getMessage()));
  }

  private static void set(Level level, OutputStreamAppender<ILoggingEvent> appender) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    context.reset();
    var encoder =
        new PatternLayoutEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) { // a message may quote a container
            return TerminalText.plain(new String(super.encode(event), UTF_8)).getBytes(UTF_8);
          }
        };
    encoder.setCharset(UTF_8);
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
