package dev.regroup.cli.local;

import dev.regroup.client.Transport;
import dev.regroup.node.PodLogs;
import dev.regroup.server.NodeAccess;
import java.util.Optional;

/** Lets the server read the logs of the node in the same process. */
final class LogAccess implements NodeAccess {

  private final PodLogs logs;

  LogAccess(PodLogs logs) {
    this.logs = logs;
  }

  @Override
  public Transport.Stream logs(ContainerRef container, LogOptions options) throws NodeFailure {
    var wanted =
        new PodLogs.Options(
            options.follow() ? PodLogs.Options.Mode.FOLLOW : PodLogs.Options.Mode.SNAPSHOT,
            options.previous() ? PodLogs.Options.Which.PREVIOUS : PodLogs.Options.Which.CURRENT,
            options.timestamps() ? PodLogs.Options.Stamps.TIME : PodLogs.Options.Stamps.NONE,
            Optional.ofNullable(options.since()),
            options.tailLines(),
            options.limitBytes());
    try {
      return logs.open(container.pod(), container.podUid(), container.container(), wanted);
    } catch (PodLogs.NoLog e) {
      throw new NodeFailure(e.code(), String.valueOf(e.getMessage()));
    }
  }
}
