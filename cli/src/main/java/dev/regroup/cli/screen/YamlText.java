package dev.regroup.cli.screen;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Trees as YAML text in block style, as people and kubectl write it. */
public final class YamlText {

  private static final DumpSettings SETTINGS =
      DumpSettings.builder()
          .setDefaultFlowStyle(FlowStyle.BLOCK)
          .setWidth(Integer.MAX_VALUE)
          .setSplitLines(false)
          .build();

  private YamlText() {}

  public static String of(JsonNode tree) {
    return new Dump(SETTINGS).dumpToString(plain(tree));
  }

  private static @Nullable Object plain(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> {
        var map = new LinkedHashMap<String, @Nullable Object>();
        node.properties().forEach(entry -> map.put(entry.getKey(), plain(entry.getValue())));
        yield map;
      }
      case ARRAY -> {
        var list = new ArrayList<@Nullable Object>();
        node.forEach(item -> list.add(plain(item)));
        yield list;
      }
      case BOOLEAN -> node.booleanValue();
      case NUMBER -> node.numberValue();
      case STRING -> node.textValue();
      case NULL, MISSING -> null;
      case BINARY, POJO -> throw new IllegalArgumentException("not a JSON value: " + node);
    };
  }
}
