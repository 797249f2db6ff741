package dev.regroup.server.table;

import static dev.regroup.server.table.Cells.age;
import static dev.regroup.server.table.Cells.name;
import static dev.regroup.server.table.Cells.row;
import static dev.regroup.server.table.Cells.view;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** Tables of who may do what. */
final class AccessTables {
  static final TableView ROLE_BINDINGS =
      view(
          List.of(
              Column.NAME,
              Column.text("Role"),
              Column.AGE,
              Column.wide("Users"),
              Column.wide("Groups"),
              Column.wide("ServiceAccounts")),
          (binding, now) ->
              row(
                  name(binding),
                  binding.path("roleRef").path("kind").asText("")
                      + "/"
                      + binding.path("roleRef").path("name").asText(""),
                  age(binding, now),
                  subjects(binding, "User"),
                  subjects(binding, "Group"),
                  subjects(binding, "ServiceAccount")));

  private AccessTables() {}

  private static String subjects(ObjectNode binding, String kind) {
    var names = new ArrayList<String>();
    for (var subject : binding.path("subjects")) {
      if (subject.path("kind").asText().equals(kind)) {
        var name = subject.path("name").asText("");
        names.add(
            kind.equals("ServiceAccount")
                ? subject.path("namespace").asText("") + "/" + name
                : name);
      }
    }
    return String.join(", ", names);
  }
}
