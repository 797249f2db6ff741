package dev.regroup.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.regroup.client.Transport.Unreachable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads and writes objects through a transport. Each call is one exchange; nothing is cached and
 * nothing is tried twice. May be used by any number of threads.
 *
 * <p>An {@link ApiFailure} is the server's answer. {@link Unreachable} means that there was none,
 * or none that makes sense: a write may then have happened or not.
 */
public final class ApiClient {

  private static final JsonMapper JSON = ServerJson.MAPPER;
  private static final String JSON_TYPE = "application/json";

  private final Transport transport;
  private final Consumer<String> warnings;

  public ApiClient(Transport transport) {
    this(transport, _ -> {});
  }

  /**
   * @param warnings gets the text of each warning that comes with an answer
   */
  public ApiClient(Transport transport, Consumer<String> warnings) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.warnings = Objects.requireNonNull(warnings, "warnings");
  }

  public Transport transport() {
    return transport;
  }

  /** Reads one object; empty when there is none of that name. */
  public <T> Optional<T> get(Resource<T> resource, ObjectKey key)
      throws ApiFailure, Unreachable, InterruptedException {
    try {
      var response = exchange(accepting(Request.get(resource.path(key), "")));
      return Optional.of(read(resource, response));
    } catch (ApiFailure failure) {
      if (failure.notFound()) {
        return Optional.empty();
      }
      throw failure;
    }
  }

  /** Reads one page of objects; without a limit all of them. */
  public <T> Page<T> list(Resource<T> resource, ListQuery query)
      throws ApiFailure, Unreachable, InterruptedException {
    var path = resource.path(query.namespace());
    var response = exchange(accepting(Request.get(path, query.query().toString())));
    try {
      return page(resource, response.body());
    } catch (IOException e) {
      throw new Unreachable("list of %s: not readable".formatted(resource.plural()), e);
    }
  }

  /**
   * Creates an object.
   *
   * @param namespace empty for a resource outside namespaces
   */
  public <T> T create(Resource<T> resource, String namespace, T object)
      throws ApiFailure, Unreachable, InterruptedException {
    return create(resource, namespace, object, WriteOptions.NONE);
  }

  public <T> T create(Resource<T> resource, String namespace, T object, WriteOptions options)
      throws ApiFailure, Unreachable, InterruptedException {
    return write("POST", resource, resource.path(namespace), object, options);
  }

  /** Replaces an object; the resourceVersion inside it says which state it was made from. */
  public <T> T update(Resource<T> resource, ObjectKey key, T object)
      throws ApiFailure, Unreachable, InterruptedException {
    return write("PUT", resource, resource.path(key), object, WriteOptions.NONE);
  }

  public <T> T updateStatus(Resource<T> resource, ObjectKey key, T object)
      throws ApiFailure, Unreachable, InterruptedException {
    return write("PUT", resource, resource.path(key, "status"), object, WriteOptions.NONE);
  }

  public <T> T update(
      Resource<T> resource, ObjectKey key, String subresource, T object, WriteOptions options)
      throws ApiFailure, Unreachable, InterruptedException {
    return write("PUT", resource, resource.path(key, subresource), object, options);
  }

  public <T> T mergePatch(Resource<T> resource, ObjectKey key, String json)
      throws ApiFailure, Unreachable, InterruptedException {
    return patch(resource, key, "", Patch.merge(json), WriteOptions.NONE);
  }

  public <T> T mergePatchStatus(Resource<T> resource, ObjectKey key, String json)
      throws ApiFailure, Unreachable, InterruptedException {
    return patch(resource, key, "status", Patch.merge(json), WriteOptions.NONE);
  }

  /**
   * Changes part of an object.
   *
   * @param subresource such as {@code status}; empty for the object itself
   */
  public <T> T patch(
      Resource<T> resource, ObjectKey key, String subresource, Patch patch, WriteOptions options)
      throws ApiFailure, Unreachable, InterruptedException {
    var request =
        Request.of(
                "PATCH", resource.path(key, subresource), patch.type().contentType(), patch.body())
            .withQuery(options.query().toString());
    return read(resource, exchange(accepting(request)));
  }

  /**
   * Asks for the deletion of an object; it may take its time (grace, finalizers).
   *
   * @return false when there was no such object
   */
  public boolean delete(Resource<?> resource, ObjectKey key, DeleteOptions options)
      throws ApiFailure, Unreachable, InterruptedException {
    byte[] body = options.json().toString().getBytes(StandardCharsets.UTF_8);
    try {
      exchange(accepting(Request.of("DELETE", resource.path(key), JSON_TYPE, body)));
      return true;
    } catch (ApiFailure failure) {
      if (failure.notFound()) {
        return false;
      }
      throw failure;
    }
  }

  /** Sends JSON to a part of an object that takes POST, such as {@code binding}. */
  public byte[] post(Resource<?> resource, ObjectKey key, String subresource, byte[] json)
      throws ApiFailure, Unreachable, InterruptedException {
    var request = Request.of("POST", resource.path(key, subresource), JSON_TYPE, json);
    return exchange(accepting(request)).body();
  }

  private <T> T write(
      String method, Resource<T> resource, String path, T object, WriteOptions options)
      throws ApiFailure, Unreachable, InterruptedException {
    byte[] body;
    try {
      body = resource.codec().write(object);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s: this object cannot be written as JSON".formatted(resource.plural()), e);
    }
    var request = Request.of(method, path, JSON_TYPE, body).withQuery(options.query().toString());
    return read(resource, exchange(accepting(request)));
  }

  private static Request accepting(Request request) {
    return request.withHeader("accept", JSON_TYPE);
  }

  private Response exchange(Request request) throws ApiFailure, Unreachable, InterruptedException {
    var response = transport.send(request);
    response.headers().all("warning").forEach(warning -> warnings.accept(Warnings.text(warning)));
    if (!response.ok()) {
      throw ApiFailure.of(response.status(), response.body());
    }
    return response;
  }

  private static <T> T read(Resource<T> resource, Response response) throws Unreachable {
    try {
      return resource.codec().read(response.body());
    } catch (IOException e) {
      throw new Unreachable("answer about %s: not readable".formatted(resource.plural()), e);
    }
  }

  /** Cuts a list into its items without decoding them: each goes to the codec as bytes. */
  private static <T> Page<T> page(Resource<T> resource, byte[] body) throws IOException {
    var items = new ArrayList<T>();
    var resourceVersion = "";
    var continueToken = "";
    try (var parser = JSON.createParser(body)) {
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var name = parser.currentName();
        var token = parser.nextToken();
        if (name.equals("metadata")) {
          JsonNode metadata = JSON.readTree(parser);
          resourceVersion = metadata.path("resourceVersion").asText("");
          continueToken = metadata.path("continue").asText("");
        } else if (name.equals("items") && token == JsonToken.START_ARRAY) {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            items.add(resource.codec().read(slice(parser, body)));
          }
        } else {
          parser.skipChildren();
        }
      }
    }
    return new Page<>(items, resourceVersion, continueToken);
  }

  private static byte[] slice(JsonParser parser, byte[] body) throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int to = (int) parser.currentLocation().getByteOffset();
    return Arrays.copyOfRange(body, from, to);
  }

  private static void expect(JsonToken found, JsonToken wanted) throws IOException {
    if (found != wanted) {
      throw new IOException("expected %s, found %s".formatted(wanted, found));
    }
  }
}
