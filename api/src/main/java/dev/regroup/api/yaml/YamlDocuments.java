package dev.regroup.api.yaml;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Reads all documents of a text. Empty documents are left out, as kubectl does. */
public final class YamlDocuments {

  private static final int MAX_BYTES = 16 << 20; // 16 MiB
  private static final LoadSettings SETTINGS =
      LoadSettings.builder().setUseMarks(true).setCodePointLimit(MAX_BYTES).build();

  private YamlDocuments() {}

  public static List<YamlDocument> read(byte[] bytes) throws YamlFailure {
    if (bytes.length > MAX_BYTES) {
      throw new YamlFailure(
          new Position(1, 1), "is larger than 16 MiB, " + bytes.length + " bytes (split it)");
    }
    String text = decode(bytes);
    try {
      var documents = new ArrayList<YamlDocument>();
      var events = new Parse(SETTINGS).parseString(text).iterator();
      while (events.hasNext()) {
        if (events.next().getEventId() == Event.ID.DocumentStart) {
          var document = new TreeBuilder(events).build();
          if (!document.root().isNull()) {
            documents.add(document);
          }
        }
      }
      return documents;
    } catch (MarkedYamlEngineException e) {
      var place =
          e.getProblemMark()
              .map(mark -> new Position(mark.getLine() + 1, mark.getColumn() + 1))
              .orElse(new Position(1, 1));
      throw new YamlFailure(place, "is not YAML: " + e.getProblem());
    } catch (ReaderException e) {
      throw new YamlFailure(unprintable(text), "is not YAML: control characters are not allowed");
    } catch (YamlEngineException e) {
      throw new YamlFailure(new Position(1, 1), "is not YAML: " + e.getMessage());
    }
  }

  /** The reader does not say where. */
  private static Position unprintable(String text) {
    int line = 1;
    int column = 1;
    for (int c : text.codePoints().toArray()) {
      if (!StreamReader.isPrintable(c)) {
        break;
      }
      column = c == '\n' ? 1 : column + 1;
      line += c == '\n' ? 1 : 0;
    }
    return new Position(line, column);
  }

  private static String decode(byte[] bytes) throws YamlFailure {
    var in = ByteBuffer.wrap(bytes);
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    try {
      CharBuffer text = decoder.decode(in);
      return text.toString();
    } catch (CharacterCodingException e) {
      int line = 1;
      for (int i = 0; i < in.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw new YamlFailure(
          new Position(line, 1), "is not UTF-8 at byte " + in.position() + " (save it as UTF-8)");
    }
  }
}
