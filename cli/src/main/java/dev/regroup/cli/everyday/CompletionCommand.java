package dev.regroup.cli.everyday;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code regroup completion}: a script that lets a shell complete commands, options and kinds. */
@Command(
    name = "completion",
    description = "Prints a script that completes commands, options and kinds in your shell.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "2:wrong usage"},
    footer = {
      "  regroup completion bash > ~/.regroup-completion   # source it in ~/.bashrc",
      "  regroup completion zsh > ~/.regroup-completion    # source it in ~/.zshrc"
    })
public final class CompletionCommand implements Callable<Integer> {

  /** Shells that a script can be had for. */
  enum Shell {
    bash,
    zsh
  }

  /** Bash's way of completing, in a shell that is not bash. */
  private static final String ZSH =
      "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

  @Parameters(paramLabel = "bash|zsh", description = "Your shell.")
  @Nullable Shell shell;

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure {
    if (spec == null || shell == null) {
      throw new CliFailure(CliFailure.Code.USAGE, "bash or zsh?", null);
    }
    var root = spec.root().commandLine();
    String script = AutoComplete.bash(root.getCommandName(), root);
    var out = Screen.out(spec);
    if (shell == Shell.zsh) {
      out.print(ZSH);
    }
    out.print(script);
    out.flush();
    return 0;
  }
}
