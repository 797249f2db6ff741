package dev.regroup.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** One run of a command in this process. */
record CommandRun(int code, String out, String err) {

  static CommandRun of(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    var line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int code = line.execute(args);
    return new CommandRun(code, out.toString(), err.toString());
  }

  /** Runs a command on a manifest that is written into the directory first. */
  static CommandRun on(Path directory, String manifest, String command, String... options)
      throws IOException {
    Path file = directory.resolve("m.yaml");
    Files.writeString(file, manifest, UTF_8);
    var args = new String[options.length + 2];
    args[0] = command;
    System.arraycopy(options, 0, args, 1, options.length);
    args[args.length - 1] = file.toString();
    var run = of(args);
    String prefix = directory + "/";
    return new CommandRun(run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
  }
}
