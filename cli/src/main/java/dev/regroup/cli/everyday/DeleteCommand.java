package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.manifest.KindFinder;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.DeleteOptions;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup delete}: objects by name, selector or file. */
@Command(
    name = "delete",
    description = "Deletes objects and waits until they are gone.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found", "4:timed out"},
    footer = {
      "  regroup delete jobset/training",
      "  regroup delete pods -l app=x --grace-period 0",
      "  regroup delete -f examples/training.yaml"
    })
public final class DeleteCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..*",
      paramLabel = "KIND[/NAME]",
      completionCandidates = UsualKinds.class,
      description = "What to delete: pod NAME, pod/NAME, or a kind with -l or --all.")
  List<String> words = List.of();

  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description = "The objects of these manifests; - is standard input.")
  List<Path> files = List.of();

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Those of the kind with these labels.")
  String selector = "";

  @Option(names = "--all", description = "All of the kind in the namespace.")
  boolean all;

  @Option(
      names = "--grace-period",
      paramLabel = "SECONDS",
      description = "For pods: time to stop (default: what the pod says).")
  @Nullable Integer grace;

  @Option(
      names = "--wait",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Wait until they are gone (default); --no-wait does not.")
  boolean wait = true;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "5m",
      description = "How long to wait (default: 5m).")
  Duration timeout = Duration.ofMinutes(5);

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    if (words.isEmpty() == files.isEmpty()) {
      throw wrong("name objects, or files with -f");
    }
    return options.with(this::delete);
  }

  private int delete(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var wanted =
        files.isEmpty() ? Wanted.of(words, new ServedNames(session.transport())) : ofFiles(session);
    var client = new ApiClient(session.transport());
    var gone = new ArrayList<Wanted>();
    var how = DeleteOptions.NONE.with(DeleteOptions.Propagation.BACKGROUND);
    for (var one : selected(wanted, client, session)) {
      boolean was =
          client.delete(
              one.served().resource(),
              key(one, session),
              grace == null ? how : how.withGrace(grace));
      if (!was) {
        throw new CliFailure(CliFailure.Code.NOT_FOUND, one.quoted() + " not found", null);
      }
      Screen.out(spec).println(one.quoted() + " deleted");
      gone.add(one);
    }
    if (wait) {
      long end = System.nanoTime() + timeout.toNanos();
      for (var one : gone) {
        var left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
        if (!new ObjectWait(session.transport(), one.served().resource(), key(one, session))
            .until(object -> object.isEmpty(), left)) {
          throw new CliFailure(CliFailure.Code.TIMED_OUT, one.quoted() + " is still there", null);
        }
      }
    }
    return 0;
  }

  private static ObjectKey key(Wanted one, Session session) {
    return new ObjectKey(one.served().isNamespaced() ? session.namespace() : "", one.name());
  }

  private List<Wanted> selected(List<Wanted> wanted, ApiClient client, Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var selected = new ArrayList<Wanted>();
    for (var one : wanted) {
      if (!one.name().isEmpty()) {
        selected.add(one);
        continue;
      }
      if (selector.isEmpty() && !all) {
        throw wrong("%s: name one, or say -l SELECTOR or --all".formatted(one.served().title()));
      }
      String place = one.served().isNamespaced() ? session.namespace() : "";
      var query = ListQuery.in(place).withLabels(selector);
      for (var object : client.list(one.served().resource(), query).items()) {
        selected.add(new Wanted(one.served(), Trees.text(object, "metadata", "name")));
      }
    }
    if (selected.isEmpty()) {
      Screen.err(spec).println("No resources found");
    }
    return selected;
  }

  private List<Wanted> ofFiles(Session session) throws CliFailure, InterruptedException {
    var kinds = new KindFinder(session.transport());
    var wanted = new ArrayList<Wanted>();
    for (var manifest : Manifests.read(files, System.in)) {
      JsonNode object = manifest.object();
      String kind = Trees.text(object, "kind");
      String version = Trees.text(object, "apiVersion");
      var resource =
          kinds
              .find(version, kind)
              .orElseThrow(
                  () -> new CliFailure("unknown kind \"%s\" in \"%s\"".formatted(kind, version)));
      wanted.add(
          new Wanted(
              new ServedNames.Served(resource, kind, kind.toLowerCase(Locale.ROOT)),
              Trees.text(object, "metadata", "name")));
    }
    return wanted;
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
