package dev.regroup.server.table;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How objects of one kind look as rows. */
public interface TableView {

  List<Column> columns();

  /** One value per column: texts, numbers, or null for a cell without a value. */
  List<@Nullable Object> cells(ObjectNode object, Instant now);
}
