package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.cli.screen.YamlText;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.QueryString;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regroup get}: objects as the server's tables show them. */
@Command(
    name = "get",
    description = "Shows objects of a cluster, as kubectl get does.",
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:failed", "2:wrong usage", "3:not found"},
    footer = {
      "  regroup get pods",
      "  regroup get jobset/training -o yaml",
      "  regroup get pods,jobs -A -o wide",
      "  regroup get pods -l jobset.sigs.k8s.io/jobset-name=training -w"
    })
public final class GetCommand implements Callable<Integer> {

  /** How objects are printed. */
  enum Form {
    table,
    wide,
    json,
    yaml,
    name
  }

  static final String AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

  @Parameters(
      arity = "0..*",
      paramLabel = "KIND[/NAME]",
      completionCandidates = UsualKinds.class,
      description = "What to show: pods, pod NAME, pod/NAME, pods,jobs.")
  List<String> words = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "wide|json|yaml|name",
      defaultValue = "table",
      description = "How to print it (default: a table).")
  Form form = Form.table;

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Of all namespaces.")
  boolean everywhere;

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "SELECTOR",
      description = "Only those with these labels.")
  String selector = "";

  @Option(names = "--field-selector", paramLabel = "SELECTOR", description = "Only with fields.")
  String fields = "";

  @Option(
      names = {"-w", "--watch"},
      description = "Go on and show every change.")
  boolean watch;

  @Option(names = "--no-headers", description = "Without the names of the columns.")
  boolean bare;

  @Option(names = "--kinds", description = "The kinds this server has.")
  boolean kinds;

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    if (!kinds && words.isEmpty()) {
      throw wrong("KIND is missing (regroup get pods; regroup get --kinds names all)");
    }
    if (watch && form != Form.table && form != Form.wide) {
      throw wrong("--watch shows a table (leave -o %s out)".formatted(form));
    }
    return options.with(this::show);
  }

  private int show(Session session)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var names = new ServedNames(session.transport());
    if (kinds) {
      names.all().forEach(Screen.out(spec)::println);
      return 0;
    }
    var wanted = Wanted.of(words, names);
    if (watch && wanted.size() > 1) {
      throw wrong("--watch takes one kind or one object");
    }
    return switch (form) {
      case table, wide -> tables(session, wanted);
      case json, yaml, name -> objects(session, wanted);
    };
  }

  private int tables(Session session, List<Wanted> wanted)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var out = Screen.out(spec);
    var width = form == Form.wide ? TableText.Width.WIDE : TableText.Width.USUAL;
    int shown = 0;
    TableText text = new TableText(width);
    String kind = "";
    for (var one : wanted) {
      var table = tree(session, one, AS_TABLE);
      boolean next = !one.served().kind().equals(kind);
      if (next && !kind.isEmpty() && shown > 0) {
        out.println();
      }
      if (next) {
        text = new TableText(width);
      }
      boolean several = wanted.stream().map(Wanted::served).distinct().count() > 1;
      var rows = rows(table, text, one, several ? one.served().title() + "/" : "");
      if (!rows.isEmpty() && next && !bare) {
        rows.addFirst(text.header(table, everywhere(one) ? List.of("NAMESPACE") : List.of()));
      }
      text.lines(rows).forEach(out::println);
      shown += rows.size();
      kind = rows.isEmpty() ? kind : one.served().kind();
      if (watch) {
        follow(session, one, text, table);
      }
    }
    if (shown == 0) {
      Screen.err(spec)
          .println(
              everywhere
                  ? "No resources found"
                  : "No resources found in %s namespace.".formatted(session.namespace()));
    }
    return 0;
  }

  private boolean everywhere(Wanted one) {
    return everywhere && one.served().isNamespaced();
  }

  private List<List<String>> rows(JsonNode table, TableText text, Wanted one, String prefix) {
    var rows = new ArrayList<List<String>>();
    for (var row : Trees.objects(table, "rows")) {
      var before =
          everywhere(one)
              ? List.of(Trees.text(row, "object", "metadata", "namespace"))
              : List.<String>of();
      rows.add(text.row(table, row, before, prefix));
    }
    return rows;
  }

  private void follow(Session session, Wanted one, TableText text, JsonNode first)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var out = Screen.out(spec);
    String since = Trees.text(first, "metadata", "resourceVersion");
    var names = one.name().isEmpty() ? "" : "metadata.name=" + one.name();
    var query =
        query(fields.isEmpty() ? names : fields).add("watch", "true").add("resourceVersion", since);
    JsonNode columns = first;
    var request = Request.get(one.served().resource().path(place(session, one)), query.toString());
    try (var stream = session.transport().open(request.withHeader("accept", AS_TABLE))) {
      for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
        if (stream.status() != 200) {
          throw ApiFailure.of(stream.status(), frame);
        }
        var table = read(frame).path("object");
        columns = table.path("columnDefinitions").isEmpty() ? columns : table;
        var whole = Wire.object();
        whole.set("columnDefinitions", columns.path("columnDefinitions"));
        whole.set("rows", table.path("rows"));
        text.lines(rows(whole, text, one, "")).forEach(out::println);
      }
    }
  }

  private int objects(Session session, List<Wanted> wanted)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var out = Screen.out(spec);
    var items = new ArrayList<JsonNode>();
    for (var one : wanted) {
      var tree = tree(session, one, "application/json");
      if (one.name().isEmpty()) {
        for (var item : Trees.objects(tree, "items")) {
          items.add(named(item, one));
        }
      } else {
        items.add(tree);
      }
      if (form == Form.name) {
        items.forEach(
            item -> out.println(one.served().title() + "/" + Trees.text(item, "metadata", "name")));
        items.clear();
      }
    }
    if (form != Form.name) {
      boolean single = wanted.size() == 1 && !wanted.getFirst().name().isEmpty();
      var tree = single ? items.getFirst() : list(items);
      out.println(form == Form.json ? tree.toPrettyString() : YamlText.of(tree).stripTrailing());
    }
    return 0;
  }

  /** Items of a list do not say what they are. */
  private static JsonNode named(ObjectNode item, Wanted one) {
    var resource = one.served().resource();
    var whole = Wire.object();
    whole.put(
        "apiVersion",
        resource.group().isEmpty()
            ? resource.version()
            : resource.group() + "/" + resource.version());
    whole.put("kind", one.served().kind());
    whole.setAll(item);
    return whole;
  }

  private static ObjectNode list(List<JsonNode> items) {
    var list = Wire.object().put("apiVersion", "v1").put("kind", "List");
    list.putObject("metadata").put("resourceVersion", "");
    list.putArray("items").addAll(items);
    return list;
  }

  private ObjectNode tree(Session session, Wanted one, String accept)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var resource = one.served().resource();
    String place = place(session, one);
    String path =
        one.name().isEmpty()
            ? resource.path(place)
            : resource.path(new ObjectKey(place, one.name()));
    var query = one.name().isEmpty() ? query(fields) : new QueryString();
    var response =
        session.transport().send(Request.get(path, query.toString()).withHeader("accept", accept));
    if (!response.ok()) {
      throw ApiFailure.of(response.status(), response.body());
    }
    return read(response.body());
  }

  private String place(Session session, Wanted one) {
    return !one.served().isNamespaced() || (everywhere && one.name().isEmpty())
        ? ""
        : session.namespace();
  }

  private QueryString query(String fieldSelector) {
    return new QueryString().add("labelSelector", selector).add("fieldSelector", fieldSelector);
  }

  private static ObjectNode read(byte[] body) throws Transport.Unreachable {
    try {
      return Wire.tree(body);
    } catch (IOException e) {
      throw new Transport.Unreachable("an answer cannot be read", e);
    }
  }

  private static CliFailure wrong(String problem) {
    return new CliFailure(CliFailure.Code.USAGE, problem, null);
  }
}
