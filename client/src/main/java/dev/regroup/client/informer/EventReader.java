package dev.regroup.client.informer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.regroup.client.ServerJson;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads an event of a watch as a tree, without who manages which fields of the object: that is half
 * of most objects, and no cache wants it.
 */
final class EventReader {

  private static final ObjectReader TREE = ServerJson.MAPPER.readerFor(JsonNode.class);

  private EventReader() {}

  static JsonNode read(byte[] frame) throws IOException {
    try (var parser = new WithoutManagers(TREE.getFactory().createParser(frame))) {
      JsonNode event = TREE.readValue(parser);
      return event == null ? TREE.missingNode() : event;
    }
  }

  private static final class WithoutManagers extends JsonParserDelegate {
    private static final int METADATA_OF_OBJECT = 3; // event, object, metadata

    private WithoutManagers(JsonParser parser) {
      super(parser);
    }

    @Override
    public @Nullable JsonToken nextToken() throws IOException {
      var token = delegate.nextToken();
      while (token == JsonToken.FIELD_NAME && isUnwanted()) {
        delegate.nextToken();
        delegate.skipChildren();
        token = delegate.nextToken();
      }
      return token;
    }

    private boolean isUnwanted() throws IOException {
      var place = delegate.getParsingContext();
      return place.getNestingDepth() == METADATA_OF_OBJECT
          && "managedFields".equals(delegate.currentName())
          && "metadata".equals(place.getParent().getCurrentName());
    }
  }
}
