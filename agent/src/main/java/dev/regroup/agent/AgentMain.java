package dev.regroup.agent;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The program: {@code in-place-restart-agent} runs the agent, {@code in-place-restart-agent install
 * DIR} copies it into a folder that other images see.
 */
public final class AgentMain {

  private static final int FAILED = 1;
  private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

  private AgentMain() {}

  public static void main(String[] args) {
    System.exit(run(args));
  }

  private static int run(String[] args) {
    try {
      if (args.length == 0) {
        Path account = Path.of(System.getProperty("regroup.agent.account", ACCOUNT));
        String socket = System.getProperty("regroup.agent.socket");
        var config =
            AgentConfig.read(System.getenv(), account, socket == null ? null : Path.of(socket));
        AgentLog.say(config.firstLine());
        return new AgentLoop(config).run();
      }
      if (args.length == 2 && args[0].equals("install")) {
        AgentInstall.into(Path.of(args[1]));
        return 0;
      }
      AgentLog.say("usage: in-place-restart-agent [install DIRECTORY]");
    } catch (BadSetting | IOException e) {
      AgentLog.say(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      AgentLog.say("internal error");
      e.printStackTrace();
    }
    return FAILED;
  }
}
