package dev.regroup.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.doctor.Diagnoses;
import dev.regroup.cli.doctor.Diagnosis;
import dev.regroup.cli.doctor.MachineLook;
import dev.regroup.cli.local.DataDirectory;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup doctor}: what works on this machine, what does not, and what to do about it. */
@Command(
    name = "doctor",
    description = {
      "Says what works on this machine, what does not, and what to do.",
      "",
      "It looks at what containers need, disk, memory, ports and programs, and changes nothing."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:a cluster can run here", "1:something is missing", "2:wrong usage"},
    footer = {"  regroup doctor", "  regroup doctor --data-dir /tmp/try -o json"})
final class DoctorCommand implements Callable<Integer> {

  @Option(
      names = "--data-dir",
      paramLabel = "DIR",
      description = {"Where objects and pods would be", "(default: ~/.local/state/regroup)."})
  @Nullable Path dataDirectory;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port 'up' would take (default: 6443).",
      defaultValue = "6443")
  int port = 6443;

  @Mixin OutputOption output = new OutputOption();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    PageOptions.checkPort(port, "--port");
    var found = Diagnoses.of(MachineLook.at(DataDirectory.of(dataDirectory), port));
    var out = Screen.out(spec);
    if (output.isText()) {
      print(out, found);
    } else {
      output.print(out, tree(found));
    }
    return Diagnoses.canRun(found) ? 0 : 1;
  }

  private static void print(PrintWriter out, List<Diagnosis> found) {
    int about = found.stream().mapToInt(one -> one.about().length()).max().orElse(0);
    for (var one : found) {
      out.println(
          "%-8s %s%s %s"
              .formatted(
                  one.state().word(),
                  one.about(),
                  " ".repeat(about - one.about().length()),
                  one.found()));
      if (!one.advice().isEmpty()) {
        out.println(" ".repeat(9 + about + 1) + "-> " + one.advice());
      }
    }
    out.println(
        Diagnoses.canRun(found)
            ? "A cluster can run here: regroup run examples/training.yaml"
            : "No cluster can run here until what is missing is there.");
    out.flush();
  }

  private static ArrayNode tree(List<Diagnosis> found) {
    ArrayNode tree = Wire.object().putArray("found");
    for (var one : found) {
      ObjectNode entry = tree.addObject();
      entry.put("state", one.state().word()).put("about", one.about());
      entry.put("found", one.found());
      if (!one.advice().isEmpty()) {
        entry.put("advice", one.advice());
      }
    }
    return tree;
  }
}
