package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The tables of all kinds but pods: columns and cells as data. */
public final class Tables {
  private static final String NONE = "<none>";
  private static final String ROLE_LABEL = "node-role.kubernetes.io/";

  public static final TableView PODS = new PodTable();

  /** Name and age: what a kind without columns of its own shows. */
  public static final TableView PLAIN =
      view(List.of(Column.NAME, Column.AGE), (object, now) -> row(name(object), age(object, now)));

  /** Kinds that came without a printer show when they were made. */
  public static final TableView CREATED_AT =
      view(
          List.of(Column.NAME, new Column("Created At", "date", "", 0)),
          (object, _) -> row(name(object), stamp(object, "metadata", "creationTimestamp")));

  public static final TableView CONFIG_MAPS =
      view(
          List.of(Column.NAME, Column.text("Data"), Column.AGE),
          (object, now) ->
              row(
                  name(object),
                  object.path("data").size() + object.path("binaryData").size(),
                  age(object, now)));

  public static final TableView SECRETS =
      view(
          List.of(Column.NAME, Column.text("Type"), Column.text("Data"), Column.AGE),
          (object, now) ->
              row(
                  name(object),
                  object.path("type").asText(),
                  object.path("data").size(),
                  age(object, now)));

  public static final TableView NAMESPACES =
      view(
          List.of(Column.NAME, Column.text("Status"), Column.AGE),
          (object, now) ->
              row(name(object), object.path("status").path("phase").asText(), age(object, now)));

  public static final TableView LEASES =
      view(
          List.of(Column.NAME, Column.text("Holder"), Column.AGE),
          (object, now) ->
              row(
                  name(object),
                  object.path("spec").path("holderIdentity").asText(""),
                  age(object, now)));

  public static final TableView PRIORITY_CLASSES =
      view(
          List.of(
              Column.NAME,
              Column.text("Value"),
              Column.text("Global-Default"),
              Column.AGE,
              Column.text("PreemptionPolicy")),
          (object, now) ->
              row(
                  name(object),
                  object.path("value").asLong(),
                  object.path("globalDefault").asBoolean(),
                  age(object, now),
                  object.path("preemptionPolicy").asText("")));

  public static final TableView CLAIMS =
      view(
          List.of(
              Column.NAME,
              Column.text("Status"),
              Column.text("Volume"),
              Column.text("Capacity"),
              Column.text("Access Modes"),
              Column.text("StorageClass"),
              Column.text("VolumeAttributesClass"),
              Column.AGE,
              Column.wide("VolumeMode")),
          Tables::claim);

  public static final TableView SERVICES =
      view(
          List.of(
              Column.NAME,
              Column.text("Type"),
              Column.text("Cluster-IP"),
              Column.text("External-IP"),
              Column.text("Port(s)"),
              Column.AGE,
              Column.wide("Selector")),
          Tables::service);

  public static final TableView ENDPOINTS =
      view(
          List.of(Column.NAME, Column.text("Endpoints"), Column.AGE),
          (object, now) -> row(name(object), endpoints(object), age(object, now)));

  public static final TableView ENDPOINT_SLICES =
      view(
          List.of(
              Column.NAME,
              Column.text("AddressType"),
              Column.text("Ports"),
              Column.text("Endpoints"),
              Column.AGE),
          (object, now) ->
              row(
                  name(object),
                  object.path("addressType").asText(),
                  shortened(texts(object.path("ports"), "port"), "<unset>"),
                  shortened(sliceAddresses(object), "<unset>"),
                  age(object, now)));

  public static final TableView NODES =
      view(
          List.of(
              Column.NAME,
              Column.text("Status"),
              Column.text("Roles"),
              Column.AGE,
              Column.text("Version"),
              Column.wide("Internal-IP"),
              Column.wide("External-IP"),
              Column.wide("OS-Image"),
              Column.wide("Kernel-Version"),
              Column.wide("Container-Runtime")),
          Tables::node);

  public static final TableView EVENTS =
      view(
          List.of(
              Column.text("Last Seen"),
              Column.text("Type"),
              Column.text("Reason"),
              Column.text("Object"),
              Column.wide("Subobject"),
              Column.wide("Source"),
              Column.text("Message"),
              Column.wide("First Seen"),
              Column.wide("Count"),
              new Column("Name", "string", "name", 1)),
          Tables::event);

  public static final TableView JOBS =
      view(
          List.of(
              Column.NAME,
              Column.text("Status"),
              Column.text("Completions"),
              Column.text("Duration"),
              Column.AGE,
              Column.wide("Containers"),
              Column.wide("Images"),
              Column.wide("Selector")),
          Tables::job);

  /** JS-2. */
  public static final TableView JOB_SETS =
      view(
          List.of(
              Column.NAME,
              Column.text("TerminalState"),
              Column.text("Restarts"),
              Column.text("Completed"),
              Column.text("Suspended"),
              new Column("Age", "date", "", 0)),
          (object, now) ->
              row(
                  name(object),
                  textOrNull(object.path("status").path("terminalState")),
                  textOrNull(object.path("status").path("restarts")),
                  conditionStatus(object, "Completed"),
                  textOrNull(object.path("spec").path("suspend")),
                  age(object, now)));

  private Tables() {}

  private static List<@Nullable Object> job(ObjectNode job, Instant now) {
    var spec = job.path("spec");
    var status = job.path("status");
    int succeeded = status.path("succeeded").asInt();
    String completions;
    if (spec.hasNonNull("completions")) {
      completions = succeeded + "/" + spec.path("completions").asInt();
    } else {
      int parallelism = spec.path("parallelism").asInt();
      completions =
          parallelism > 1 ? succeeded + "/1 of " + parallelism : succeeded + "/1";
    }
    var containers = spec.path("template").path("spec").path("containers");
    return row(
        name(job),
        jobState(job),
        completions,
        jobDuration(status, now),
        age(job, now),
        String.join(",", texts(containers, "name")),
        String.join(",", texts(containers, "image")),
        labelSelector(spec.path("selector")));
  }

  private static String jobState(ObjectNode job) {
    if ("True".equals(conditionStatus(job, "Complete"))) {
      return "Complete";
    }
    if ("True".equals(conditionStatus(job, "Failed"))) {
      return "Failed";
    }
    if (job.path("metadata").hasNonNull("deletionTimestamp")) {
      return "Terminating";
    }
    if ("True".equals(conditionStatus(job, "Suspended"))) {
      return "Suspended";
    }
    if ("True".equals(conditionStatus(job, "FailureTarget"))) {
      return "FailureTarget";
    }
    return "True".equals(conditionStatus(job, "SuccessCriteriaMet"))
        ? "SuccessCriteriaMet"
        : "Running";
  }

  private static String jobDuration(JsonNode status, Instant now) {
    var start = status.path("startTime").asText("");
    if (start.isEmpty()) {
      return "";
    }
    var end = status.path("completionTime").asText("");
    var until = end.isEmpty() ? now : Instant.parse(end);
    return Ages.human(Duration.between(Instant.parse(start), until));
  }

  private static List<@Nullable Object> service(ObjectNode service, Instant now) {
    var spec = service.path("spec");
    var type = spec.path("type").asText();
    var clusterIp = spec.path("clusterIPs").path(0).asText(spec.path("clusterIP").asText(""));
    return row(
        name(service),
        type,
        clusterIp.isEmpty() ? NONE : clusterIp,
        externalIp(service, type),
        servicePorts(spec.path("ports")),
        age(service, now),
        selector(spec.path("selector")));
  }

  private static String externalIp(ObjectNode service, String type) {
    var addresses = new ArrayList<String>();
    if (type.equals("ExternalName")) {
      addresses.add(service.path("spec").path("externalName").asText());
    }
    for (var ingress : service.path("status").path("loadBalancer").path("ingress")) {
      addresses.add(ingress.path("ip").asText(ingress.path("hostname").asText("")));
    }
    service.path("spec").path("externalIPs").forEach(ip -> addresses.add(ip.asText()));
    if (addresses.isEmpty()) {
      return type.equals("LoadBalancer") ? "<pending>" : NONE;
    }
    return String.join(",", addresses);
  }

  private static String servicePorts(JsonNode ports) {
    if (ports.isEmpty()) {
      return NONE;
    }
    var texts = new ArrayList<String>();
    for (var port : ports) {
      int nodePort = port.path("nodePort").asInt();
      var number = port.path("port").asText() + (nodePort > 0 ? ":" + nodePort : "");
      texts.add(number + "/" + port.path("protocol").asText("TCP"));
    }
    return String.join(",", texts);
  }

  private static List<@Nullable Object> node(ObjectNode node, Instant now) {
    var info = node.path("status").path("nodeInfo");
    var state = new ArrayList<String>();
    var ready = conditionStatus(node, "Ready");
    state.add(ready == null ? "Unknown" : ready.equals("True") ? "Ready" : "NotReady");
    if (node.path("spec").path("unschedulable").asBoolean()) {
      state.add("SchedulingDisabled");
    }
    var roles = new TreeMap<String, String>();
    for (var label : node.path("metadata").path("labels").properties()) {
      if (label.getKey().startsWith(ROLE_LABEL)) {
        roles.put(label.getKey().substring(ROLE_LABEL.length()), "");
      } else if (label.getKey().equals("kubernetes.io/role")) {
        roles.put(label.getValue().asText(), "");
      }
    }
    var kernel = info.path("kernelVersion").asText("");
    var architecture = info.path("architecture").asText("");
    return row(
        name(node),
        String.join(",", state),
        roles.isEmpty() ? NONE : String.join(",", roles.keySet()),
        age(node, now),
        info.path("kubeletVersion").asText(""),
        address(node, "InternalIP"),
        address(node, "ExternalIP"),
        orUnknown(info.path("osImage").asText("")),
        kernel.isEmpty()
            ? "<unknown>"
            : architecture.isEmpty() ? kernel : kernel + " (" + architecture + ")",
        orUnknown(info.path("containerRuntimeVersion").asText("")));
  }

  private static String address(ObjectNode node, String type) {
    for (var address : node.path("status").path("addresses")) {
      if (address.path("type").asText().equals(type)) {
        return address.path("address").asText();
      }
    }
    return NONE;
  }

  private static List<@Nullable Object> event(ObjectNode event, Instant now) {
    var first = event.path("firstTimestamp").asText(event.path("eventTime").asText(""));
    var last = event.path("lastTimestamp").asText(first);
    int count = event.path("count").asInt();
    var series = event.path("series");
    if (series.isObject()) {
      count = series.path("count").asInt();
      last = series.path("lastObservedTime").asText(last);
    } else if (count == 0) {
      count = 1;
    }
    var about = event.path("involvedObject");
    var object = about.path("kind").asText().toLowerCase(Locale.ROOT);
    var aboutName = about.path("name").asText("");
    var component =
        event.path("source").path("component").asText(event.path("reportingComponent").asText(""));
    var host = event.path("source").path("host").asText(event.path("reportingInstance").asText(""));
    return row(
        Ages.since(last, now),
        event.path("type").asText(""),
        event.path("reason").asText(""),
        aboutName.isEmpty() ? object : object + "/" + aboutName,
        about.path("fieldPath").asText(""),
        host.isEmpty() ? component : component + ", " + host,
        event.path("message").asText("").strip(),
        Ages.since(first, now),
        count,
        name(event));
  }

  private static List<@Nullable Object> claim(ObjectNode claim, Instant now) {
    var status = claim.path("status");
    boolean deleted = claim.path("metadata").hasNonNull("deletionTimestamp");
    var volume = claim.path("spec").path("volumeName").asText("");
    return row(
        name(claim),
        deleted ? "Terminating" : status.path("phase").asText(""),
        volume,
        volume.isEmpty() ? "" : status.path("capacity").path("storage").asText(""),
        volume.isEmpty() ? "" : accessModes(status.path("accessModes")),
        claim.path("spec").path("storageClassName").asText(""),
        claim.path("spec").path("volumeAttributesClassName").asText("<unset>"),
        age(claim, now),
        claim.path("spec").path("volumeMode").asText("<unset>"));
  }

  private static String accessModes(JsonNode modes) {
    var texts = new ArrayList<String>();
    modes.forEach(
        mode ->
            texts.add(
                switch (mode.asText()) {
                  case "ReadWriteOnce" -> "RWO";
                  case "ReadOnlyMany" -> "ROX";
                  case "ReadWriteMany" -> "RWX";
                  case "ReadWriteOncePod" -> "RWOP";
                  default -> mode.asText();
                }));
    return String.join(",", texts);
  }

  private static String endpoints(ObjectNode object) {
    var texts = new ArrayList<String>();
    for (var subset : object.path("subsets")) {
      for (var address : subset.path("addresses")) {
        if (subset.path("ports").isEmpty()) {
          texts.add(address.path("ip").asText());
        }
        for (var port : subset.path("ports")) {
          texts.add(address.path("ip").asText() + ":" + port.path("port").asText());
        }
      }
    }
    return shortened(texts, NONE);
  }

  private static List<String> sliceAddresses(ObjectNode slice) {
    var texts = new ArrayList<String>();
    slice
        .path("endpoints")
        .forEach(endpoint -> endpoint.path("addresses").forEach(ip -> texts.add(ip.asText())));
    return texts;
  }

  /** The first three and how many more. */
  private static String shortened(List<String> texts, String none) {
    if (texts.isEmpty()) {
      return none;
    }
    if (texts.size() <= 3) {
      return String.join(",", texts);
    }
    return String.join(",", texts.subList(0, 3)) + " + " + (texts.size() - 3) + " more...";
  }

  private static String selector(JsonNode labels) {
    var sorted = new TreeMap<String, String>();
    labels.properties().forEach(label -> sorted.put(label.getKey(), label.getValue().asText()));
    var texts = new ArrayList<String>();
    sorted.forEach((key, value) -> texts.add(key + "=" + value));
    return texts.isEmpty() ? NONE : String.join(",", texts);
  }

  private static String labelSelector(JsonNode selector) {
    var matched = selector(selector.path("matchLabels"));
    var texts = new ArrayList<String>();
    if (!matched.equals(NONE)) {
      texts.add(matched);
    }
    for (var expression : selector.path("matchExpressions")) {
      var values = new ArrayList<String>();
      expression.path("values").forEach(value -> values.add(value.asText()));
      var key = expression.path("key").asText();
      texts.add(
          switch (expression.path("operator").asText()) {
            case "Exists" -> key;
            case "DoesNotExist" -> "!" + key;
            case "NotIn" -> key + " notin (" + String.join(",", values) + ")";
            default -> key + " in (" + String.join(",", values) + ")";
          });
    }
    return texts.isEmpty() ? NONE : String.join(",", texts);
  }

  private static @Nullable String conditionStatus(ObjectNode object, String type) {
    for (var condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return null;
  }

  private static List<String> texts(JsonNode list, String field) {
    var texts = new ArrayList<String>();
    list.forEach(item -> texts.add(item.path(field).asText()));
    return texts;
  }

  private static @Nullable String textOrNull(JsonNode node) {
    return node.isValueNode() && !node.isNull() ? node.asText() : null;
  }

  private static String orUnknown(String text) {
    return text.isEmpty() ? "<unknown>" : text;
  }

  private static String name(ObjectNode object) {
    return object.path("metadata").path("name").asText();
  }

  private static String age(ObjectNode object, Instant now) {
    return Ages.since(stamp(object, "metadata", "creationTimestamp"), now);
  }

  private static String stamp(ObjectNode object, String part, String field) {
    return object.path(part).path(field).asText("");
  }

  private static List<@Nullable Object> row(@Nullable Object... cells) {
    var row = new ArrayList<@Nullable Object>();
    for (var cell : cells) {
      row.add(cell);
    }
    return row;
  }

  private static TableView view(
      List<Column> columns, BiFunction<ObjectNode, Instant, List<@Nullable Object>> cells) {
    return new TableView() {
      @Override
      public List<Column> columns() {
        return columns;
      }

      @Override
      public List<@Nullable Object> cells(ObjectNode object, Instant now) {
        return cells.apply(object, now);
      }
    };
  }
}
