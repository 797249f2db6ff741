package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.cli.screen.YamlText;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup describe}: an object with its events, to be read. */
@Command(
    name = "describe",
    description = "Shows objects in full, with their events.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found"},
    footer = {"  regroup describe pod/training-worker-0-0-x7k2p", "  regroup describe jobsets"})
public final class DescribeCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "KIND[/NAME]",
      completionCandidates = UsualKinds.class,
      description = "What to show: pods, pod NAME, pod/NAME.")
  List<String> words = List.of();

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Only those with these labels.")
  String selector = "";

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    return options.with(this::describe);
  }

  private int describe(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var client = new ApiClient(session.transport());
    var objects = new ArrayList<ObjectNode>();
    for (var one : Wanted.of(words, new ServedNames(session.transport()))) {
      String place = one.served().isNamespaced() ? session.namespace() : "";
      if (one.name().isEmpty()) {
        var query = ListQuery.in(place).withLabels(selector);
        for (var item : client.list(one.served().resource(), query).items()) {
          objects.add(item.put("kind", one.served().kind()));
        }
      } else {
        objects.add(
            client
                .get(one.served().resource(), new ObjectKey(place, one.name()))
                .orElseThrow(() ->
                    new CliFailure(CliFailure.Code.NOT_FOUND, one.quoted() + " not found", null)));
      }
    }
    var out = Screen.out(spec);
    for (int i = 0; i < objects.size(); i++) {
      if (i > 0) {
        out.println("\n");
      }
      write(objects.get(i), client, out);
    }
    return 0;
  }

  private static void write(ObjectNode object, ApiClient client, PrintWriter out)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var metadata = object.path("metadata");
    line(out, "Name:", Trees.text(metadata, "name"));
    if (Trees.has(metadata, "namespace")) {
      line(out, "Namespace:", Trees.text(metadata, "namespace"));
    }
    line(out, "Kind:", Trees.text(object, "kind"));
    lines(out, "Labels:", Trees.map(metadata, "labels"), "=");
    lines(out, "Annotations:", Trees.map(metadata, "annotations"), ": ");
    line(out, "Created:", Trees.text(metadata, "creationTimestamp"));
    for (var owner : Trees.objects(metadata, "ownerReferences")) {
      line(out, "Owned by:", Trees.text(owner, "kind") + "/" + Trees.text(owner, "name"));
    }
    object
        .properties()
        .forEach(field -> {
          if (!List.of("apiVersion", "kind", "metadata").contains(field.getKey())) {
            out.println(title(field.getKey()) + ":");
            YamlText.of(field.getValue()).lines().forEach(text -> out.println("  " + text));
          }
        });
    events(object, client, out);
  }

  private static void events(ObjectNode object, ApiClient client, PrintWriter out)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    String namespace = Trees.text(object, "metadata", "namespace");
    String uid = Trees.text(object, "metadata", "uid");
    var events =
        client
            .list(
                Kinds.EVENTS,
                ListQuery.in(namespace.isEmpty() ? "default" : namespace)
                    .withFields("involvedObject.uid=" + uid))
            .items()
            .stream()
            .sorted(Comparator.comparing(DescribeCommand::time))
            .toList();
    if (events.isEmpty()) {
      line(out, "Events:", "<none>");
      return;
    }
    out.println("Events:");
    var rows = new ArrayList<List<String>>();
    rows.add(List.of("  Type", "Reason", "Age", "From", "Message"));
    for (var event : events) {
      String from = Trees.text(event, "source", "component");
      rows.add(
          List.of(
              "  " + Trees.text(event, "type"),
              Trees.text(event, "reason"),
              age(time(event)),
              from.isEmpty() ? Trees.text(event, "reportingComponent") : from,
              Trees.text(event, "message").replaceAll("\\R+", " ")));
    }
    new TableText(TableText.Width.USUAL).lines(rows).forEach(out::println);
  }

  static Instant time(JsonNode event) {
    for (String field : List.of("lastTimestamp", "eventTime", "firstTimestamp")) {
      var at = Trees.time(event, field);
      if (at != null) {
        return at;
      }
    }
    return Instant.EPOCH;
  }

  private static String age(Instant at) {
    var age = Duration.between(at, Instant.now());
    return age.toMinutes() < 2
        ? Math.max(0, age.toSeconds()) + "s"
        : age.toHours() < 3 ? age.toMinutes() + "m" : age.toHours() + "h";
  }

  private static String title(String field) {
    return Character.toUpperCase(field.charAt(0)) + field.substring(1);
  }

  private static void line(PrintWriter out, String name, String value) {
    out.println("%-14s%s".formatted(name, value));
  }

  private static void lines(PrintWriter out, String name, Map<String, String> all, String between) {
    if (all.isEmpty()) {
      line(out, name, "<none>");
    }
    String title = name;
    for (var entry : all.entrySet()) {
      line(out, title, entry.getKey() + between + entry.getValue());
      title = "";
    }
  }
}
