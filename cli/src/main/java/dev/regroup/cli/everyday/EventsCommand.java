package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.QueryString;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup events}: what happened, oldest first. */
@Command(
    name = "events",
    description = "Shows events, oldest first.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found"},
    footer = {"  regroup events", "  regroup events --for jobset/training"})
public final class EventsCommand implements Callable<Integer> {

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Of all namespaces.")
  boolean everywhere;

  @Option(names = "--for", paramLabel = "KIND/NAME", description = "Only those about this object.")
  String about = "";

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    return options.with(this::show);
  }

  private int show(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    String fields = "";
    if (!about.isEmpty()) {
      var one = Wanted.of(List.of(about), new ServedNames(session.transport())).getFirst();
      if (one.name().isEmpty()) {
        throw new CliFailure(CliFailure.Code.USAGE, "--for: write KIND/NAME", null);
      }
      fields =
          "involvedObject.kind=%s,involvedObject.name=%s"
              .formatted(one.served().kind(), one.name());
    }
    var query = new QueryString().add("fieldSelector", fields).add("includeObject", "Object");
    var response =
        session
            .transport()
            .send(
                Request.get(
                        Kinds.EVENTS.path(everywhere ? "" : session.namespace()), query.toString())
                    .withHeader("accept", GetCommand.AS_TABLE));
    if (!response.ok()) {
      throw ApiFailure.of(response.status(), response.body());
    }
    try {
      print(Wire.tree(response.body()), session);
    } catch (IOException e) {
      throw new Transport.Unreachable("an answer cannot be read", e);
    }
    return 0;
  }

  private void print(JsonNode table, Session session) {
    var text = new TableText(TableText.Width.USUAL);
    var rows = new ArrayList<List<String>>();
    rows.add(text.header(table, everywhere ? List.of("NAMESPACE") : List.of()));
    Trees.objects(table, "rows").stream()
        .sorted(Comparator.comparing(row -> DescribeCommand.time(row.path("object"))))
        .forEach(row ->
            rows.add(
                text.row(
                    table,
                    row,
                    everywhere
                        ? List.of(Trees.text(row, "object", "metadata", "namespace"))
                        : List.of(),
                    "")));
    if (rows.size() == 1) {
      Screen.err(spec).println("No events found in %s namespace.".formatted(session.namespace()));
      return;
    }
    text.lines(rows).forEach(Screen.out(spec)::println);
  }
}
