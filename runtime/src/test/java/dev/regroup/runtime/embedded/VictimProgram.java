package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Starts a pod, says what it did line by line, then waits to be killed. */
final class VictimProgram {

  private VictimProgram() {}

  public static void main(String[] args) throws Exception {
    var runtime = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(Path.of(args[0])));
    var pod = new PodUid(args[2]);
    System.out.println(runtime.startSandbox(Machine.spec(pod)).pid());
    for (int i = 3; i < args.length; i++) {
      var spec =
          ContainerConfig.of(
                  new ContainerKey(pod, "c" + (i - 3), 0), 5, List.of("sh", "-c", args[i]))
              .withMounts(List.of(ContainerConfig.Mount.of(Path.of(args[1]), "/gate")));
      System.out.println(runtime.start(spec).pid());
    }
    new CountDownLatch(1).await();
  }
}
