package dev.regroup.agent;

import dev.regroup.agent.AgentConfig.Mode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.OptionalInt;

/**
 * An agent that runs the worker itself, as the container's entry point. In main-container mode it
 * ends with the worker and with the order to restart (JS-132); in process mode it stays and
 * replaces the worker (JS-132a).
 */
final class WorkerBody implements AgentBody {

  private final AgentConfig config;
  private final AgentInbox inbox;
  private final WorkerProcess worker;
  private final AttemptFile file;
  private boolean forwarding;

  WorkerBody(AgentConfig config, AgentInbox inbox) {
    this.config = config;
    this.inbox = inbox;
    this.worker = new WorkerProcess(inbox::workerEnded);
    this.file = new AttemptFile(config.restartDirectory());
  }

  @Override
  public void prepare() {
    if (!forwarding) {
      forwarding = true;
      worker.prepare();
      end("TERM");
      end("INT");
      forward("HUP");
      forward("USR1");
      forward("USR2");
    }
  }

  @Override
  public void run(OptionalInt attempt) throws IOException {
    if (worker.running()) {
      return;
    }
    prepare();
    var variables = new LinkedHashMap<String, String>();
    if (attempt.isPresent()) {
      file.write(attempt.getAsInt());
      variables.put("JOBSET_RESTART_ATTEMPT", String.valueOf(attempt.getAsInt()));
      variables.put("JOBSET_RESTART_DIR", config.restartDirectory().toString());
    }
    worker.start(variables);
  }

  @Override
  public boolean restart() throws IOException {
    if (config.mode() == Mode.MAIN_CONTAINER) {
      return false;
    }
    try {
      worker.stop(config.stopTime());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return true;
  }

  @Override
  public boolean working() {
    return worker.running();
  }

  @Override
  public void end() {
    worker.kill();
  }

  /** The signal ends the agent: at once, or when the worker that was told has ended (JS-128). */
  private void end(String name) {
    SignalTaking.of(
        name,
        number -> {
          inbox.ending(number);
          if (!worker.signal(number, /* last= */ true)) {
            System.exit(128 + number);
          }
        });
  }

  private void forward(String name) {
    SignalTaking.of(name, number -> worker.signal(number, /* last= */ false));
  }
}
