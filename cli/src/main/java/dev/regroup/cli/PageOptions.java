package dev.regroup.cli;

import dev.regroup.api.Gates;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.cli.ui.LivePage;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.net.BindException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a cluster has a page, and where. */
final class PageOptions {

  private static final int LAST_PORT = 65_535;

  @Option(
      names = "--ui",
      paramLabel = "on|off",
      description = "Whether there is a page for your browser (default: on).",
      defaultValue = "on")
  String page = "on";

  @Option(
      names = "--ui-port",
      paramLabel = "PORT",
      description = "Port of the page on 127.0.0.1; 0 takes a free one (default: 0).",
      defaultValue = "0")
  int port;

  boolean isOn() throws CliFailure {
    return switch (page) {
      case "on" -> true;
      case "off" -> false;
      default ->
          throw new CliFailure(
              CliFailure.Code.USAGE, "--ui: unknown value \"" + page + "\" (on or off)", null);
    };
  }

  /** The page of a cluster; the caller closes it. */
  LivePage open(Transport transport, Gates gates) throws CliFailure {
    return open(transport, new LivePage.Settings(port, ListQuery.ALL, gates), "--ui-port");
  }

  /** Refuses a number that is no port. */
  static void checkPort(int port, String option) throws CliFailure {
    if (port < 0 || port > LAST_PORT) {
      throw new CliFailure(
          CliFailure.Code.USAGE,
          "%s: must be 0 to %d, not %d".formatted(option, LAST_PORT, port),
          null);
    }
  }

  /** The same for any command; {@code option} is the one that chooses the port. */
  static LivePage open(Transport transport, LivePage.Settings settings, String option)
      throws CliFailure {
    checkPort(settings.port(), option);
    try {
      return LivePage.start(transport, settings);
    } catch (IOException e) {
      throw new CliFailure(
          taken(e)
              ? "port %d is in use by another program (choose one with %s, 0 takes a free one)"
                  .formatted(settings.port(), option)
              : "the page cannot be served: " + Reason.of(e),
          e);
    }
  }

  private static boolean taken(@Nullable Throwable failure) {
    return failure != null && (failure instanceof BindException || taken(failure.getCause()));
  }
}
