package dev.regroup.server.table;

import static dev.regroup.server.table.Cells.NONE;
import static dev.regroup.server.table.Cells.age;
import static dev.regroup.server.table.Cells.conditionStatus;
import static dev.regroup.server.table.Cells.name;
import static dev.regroup.server.table.Cells.orUnknown;
import static dev.regroup.server.table.Cells.row;
import static dev.regroup.server.table.Cells.stamp;
import static dev.regroup.server.table.Cells.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The tables of all kinds: columns and cells as data. */
public final class Tables {
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
              new Column("Value", "integer", "", 0),
              new Column("Global-Default", "boolean", "", 0),
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

  public static final TableView SERVICES = NetworkTables.SERVICES;
  public static final TableView ENDPOINTS = NetworkTables.ENDPOINTS;
  public static final TableView ENDPOINT_SLICES = NetworkTables.ENDPOINT_SLICES;
  public static final TableView EVENTS = WorkloadTables.EVENTS;
  public static final TableView JOBS = WorkloadTables.JOBS;
  public static final TableView JOB_SETS = WorkloadTables.JOB_SETS;

  public static final TableView ROLE_BINDINGS = AccessTables.ROLE_BINDINGS;

  public static final TableView WEBHOOKS = PolicyTables.WEBHOOKS;
  public static final TableView POLICIES = PolicyTables.POLICIES;
  public static final TableView POLICY_BINDINGS = PolicyTables.POLICY_BINDINGS;
  public static final TableView QUOTAS = PolicyTables.QUOTAS;

  private Tables() {}

  /** The same columns for objects in another form. */
  public static TableView of(TableView same, UnaryOperator<ObjectNode> form) {
    return view(same.columns(), (object, now) -> same.cells(form.apply(object), now));
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
    modes.forEach(mode ->
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
}
