package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.DurationText;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup wait}: until objects are as wanted. */
@Command(
    name = "wait",
    description = "Waits until objects have a condition, a value, or are gone.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:it is so", "1:failed", "2:wrong usage", "3:not found", "4:timed out"},
    footer = {
      "  regroup wait --for=condition=Completed jobset/training --timeout 10m",
      "  regroup wait --for=jsonpath='{.status.phase}'=Running pod/x",
      "  regroup wait --for=delete pod/x"
    })
public final class WaitCommand implements Callable<Integer> {

  private static final Pattern JSON_PATH =
      Pattern.compile("jsonpath='?\\{?\\.?([^}'=]+)\\}?'?(?:=(.*))?");
  private static final Pattern CONDITION = Pattern.compile("condition=([^=]+)(?:=(.*))?");

  @Parameters(
      arity = "1..*",
      paramLabel = "KIND/NAME",
      description = "What to wait for: pod/NAME, pod NAME, or a kind with -l.")
  List<String> words = List.of();

  @Option(
      names = "--for",
      required = true,
      paramLabel = "WHAT",
      description = "condition=TYPE[=VALUE], delete, create or jsonpath='{PATH}'[=VALUE].")
  String goal = "";

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Those of the kind with these labels.")
  String selector = "";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationText.class,
      defaultValue = "30s",
      description = "For each of them (default: 30s).")
  Duration timeout = Duration.ofSeconds(30);

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var met = met();
    return options.with(session -> await(session, met));
  }

  private int await(Session session, Predicate<Optional<JsonNode>> met)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var client = new ApiClient(session.transport());
    for (var one : selected(client, session)) {
      String place = one.served().isNamespaced() ? session.namespace() : "";
      var key = new ObjectKey(place, one.name());
      if (goal.startsWith("condition=") && client.get(one.served().resource(), key).isEmpty()) {
        throw new CliFailure(CliFailure.Code.NOT_FOUND, one.quoted() + " not found", null);
      }
      if (!new ObjectWait(session.transport(), one.served().resource(), key).until(met, timeout)) {
        throw new CliFailure(
            CliFailure.Code.TIMED_OUT,
            "timed out waiting for the condition on %s/%s"
                .formatted(one.served().resource().plural(), one.name()),
            null);
      }
      Screen.out(spec)
          .println(
              "%s/%s %s"
                  .formatted(
                      one.served().title(),
                      one.name(),
                      goal.equals("delete") ? "deleted" : "condition met"));
    }
    return 0;
  }

  private List<Wanted> selected(ApiClient client, Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var selected = new ArrayList<Wanted>();
    for (var one : Wanted.of(words, new ServedNames(session.transport()))) {
      if (!one.name().isEmpty()) {
        selected.add(one);
        continue;
      }
      if (selector.isEmpty()) {
        throw wrong("%s: name one, or say -l SELECTOR".formatted(one.served().title()));
      }
      String place = one.served().isNamespaced() ? session.namespace() : "";
      var query = ListQuery.in(place).withLabels(selector);
      for (var object : client.list(one.served().resource(), query).items()) {
        selected.add(new Wanted(one.served(), Trees.text(object, "metadata", "name")));
      }
    }
    if (selected.isEmpty()) {
      throw new CliFailure(CliFailure.Code.NOT_FOUND, "no matching resources found", null);
    }
    return selected;
  }

  private Predicate<Optional<JsonNode>> met() throws CliFailure {
    if (goal.equals("delete")) {
      return Optional::isEmpty;
    }
    if (goal.equals("create")) {
      return Optional::isPresent;
    }
    var condition = CONDITION.matcher(goal);
    if (condition.matches()) {
      String type = condition.group(1);
      String value = condition.group(2) == null ? "True" : condition.group(2);
      return object -> object.filter(one -> hasCondition(one, type, value)).isPresent();
    }
    var path = JSON_PATH.matcher(goal);
    if (path.matches()) {
      String pointer = "/" + path.group(1).replaceAll("\\[(\\d+)\\]", ".$1").replace('.', '/');
      String value = path.group(2);
      return object ->
          object
              .map(one -> one.at(pointer))
              .filter(found -> !found.isMissingNode())
              .filter(found -> value == null || found.asText().equals(value))
              .isPresent();
    }
    throw wrong(
        "--for: \"%s\" is not understood (condition=TYPE, delete, create or jsonpath='{PATH}'=VALUE)"
            .formatted(goal));
  }

  private static boolean hasCondition(JsonNode object, String type, String value) {
    return Trees.objects(object, "status", "conditions").stream()
        .anyMatch(one ->
            Trees.text(one, "type").equalsIgnoreCase(type)
                && Trees.text(one, "status").equalsIgnoreCase(value));
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
