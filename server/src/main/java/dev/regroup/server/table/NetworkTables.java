package dev.regroup.server.table;

import static dev.regroup.server.table.Cells.NONE;
import static dev.regroup.server.table.Cells.age;
import static dev.regroup.server.table.Cells.name;
import static dev.regroup.server.table.Cells.row;
import static dev.regroup.server.table.Cells.selector;
import static dev.regroup.server.table.Cells.texts;
import static dev.regroup.server.table.Cells.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tables of services and what is behind them. */
final class NetworkTables {
  static final TableView SERVICES =
      view(
          List.of(
              Column.NAME,
              Column.text("Type"),
              Column.text("Cluster-IP"),
              Column.text("External-IP"),
              Column.text("Port(s)"),
              Column.AGE,
              Column.wide("Selector")),
          NetworkTables::service);

  static final TableView ENDPOINTS =
      view(
          List.of(Column.NAME, Column.text("Endpoints"), Column.AGE),
          (object, now) -> row(name(object), endpoints(object), age(object, now)));

  static final TableView ENDPOINT_SLICES =
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

  private NetworkTables() {}

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

  private static String endpoints(ObjectNode object) {
    var texts = new ArrayList<String>();
    for (var subset : object.path("subsets")) {
      var addresses = subset.path("addresses");
      if (subset.path("ports").isEmpty()) {
        addresses.forEach(address -> texts.add(address.path("ip").asText()));
      }
      for (var port : subset.path("ports")) {
        addresses.forEach(
            address -> texts.add(address.path("ip").asText() + ":" + port.path("port").asText()));
      }
    }
    return shortened(texts, object.path("subsets").isEmpty() ? NONE : "");
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
}
