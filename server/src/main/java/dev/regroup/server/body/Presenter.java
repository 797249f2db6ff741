package dev.regroup.server.body;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.client.Headers;
import dev.regroup.client.Response;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.table.TableBody;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Accept.Format;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Verb;
import java.time.InstantSource;
import java.util.List;

/**
 * Puts stored objects into the form a client accepts: themselves, a table, or metadata only; JSON,
 * YAML or, where Kubernetes has that form, protobuf. Plain JSON is passed through untouched.
 */
public final class Presenter {
  private static final String META = "meta.k8s.io";

  private final InstantSource clock;

  public Presenter(InstantSource clock) {
    this.clock = clock;
  }

  /** Chooses the form of an answer with one object; refuses before anything is done. */
  public Accept acceptOne(Call call, ResourceType type) throws Refused {
    return accept(call, type, "PartialObjectMetadata");
  }

  /** Chooses the form of an answer with many. */
  public Accept acceptMany(Call call, ResourceType type) throws Refused {
    return accept(call, type, "PartialObjectMetadataList");
  }

  private static Accept accept(Call call, ResourceType type, String partial) throws Refused {
    Accept.Offer offer =
        (format, as, group, version) ->
            switch (as) {
              case "" -> format != Format.PROTOBUF || ProtobufCodec.knows(type.kind());
              case "Table" -> isMeta(group, version) && format != Format.PROTOBUF && isStored(type);
              default -> isMeta(group, version) && as.equals(partial) && isStored(type);
            };
    var accept = Accept.choose(call.request().headers().all("accept"), offer);
    if (accept == null) {
      throw new Refused(
          Accept.asksForForm(call.request().headers().all("accept"))
              ? Accept.unknownForm()
              : Accept.notAcceptable());
    }
    if (accept.as().equals("Table")) {
      TableBody.Include.of(call.query()); // refuses a wrong one
    }
    return accept;
  }

  /** What nobody can read again has no metadata to show, and no columns. */
  private static boolean isStored(ResourceType type) {
    return type.verbs().contains(Verb.GET);
  }

  private static boolean isMeta(String group, String version) {
    return group.equals(META) && (version.equals("v1") || version.equals("v1beta1"));
  }

  public Answer one(Call call, ResourceType type, Accept accept, int code, byte[] object)
      throws Refused {
    if (accept.as().isEmpty()) {
      return encoded(call, accept, code, object);
    }
    var tree = ObjectStore.tree(object);
    return tree(call, accept, code, transform(call, type, accept, tree));
  }

  /** One object as the accepted form says; also used for each event of a watch. */
  public ObjectNode transform(Call call, ResourceType type, Accept accept, ObjectNode tree)
      throws Refused {
    if (!accept.as().equals("Table")) {
      return TableBody.partialMetadata(tree);
    }
    var table = table(call, type, List.of(tree));
    var version = tree.path("metadata").path("resourceVersion");
    ((ObjectNode) table.path("metadata")).set("resourceVersion", version);
    return table;
  }

  public ObjectNode table(Call call, ResourceType type, List<ObjectNode> objects) throws Refused {
    return TableBody.of(type.table(), objects, TableBody.Include.of(call.query()), clock.instant());
  }

  /** Any tree, such as a {@code Status} of success or a discovery document. */
  public static Answer tree(Call call, Accept accept, int code, ObjectNode tree) {
    return whole(call, accept, code, bytes(accept.format(), tree));
  }

  /** A {@code Status}, which everybody understands in every format. */
  public static Answer status(Call call, int code, ObjectNode status) {
    return tree(call, Accept.ofStatus(call.request().headers().all("accept")), code, status);
  }

  /** An answer of JSON that is there already. */
  public static Answer encoded(Call call, Accept accept, int code, byte[] json) {
    var body =
        accept.format() == Format.JSON ? json : bytes(accept.format(), ObjectStore.tree(json));
    return whole(call, accept, code, body);
  }

  /** An answer in the accepted format. */
  public static Answer whole(Call call, Accept accept, int code, byte[] body) {
    return new Answer.Whole(
        new Response(code, headers(accept.format().mediaType(), call.warnings()), body));
  }

  public static byte[] bytes(Format format, ObjectNode tree) {
    return switch (format) {
      case JSON -> Wire.write(tree);
      case YAML -> YamlBody.write(tree);
      case PROTOBUF -> ProtobufCodec.write(tree);
    };
  }

  /** Content type and one {@code Warning} per text. */
  public static Headers headers(String mediaType, List<String> warnings) {
    var headers = Headers.of("content-type", mediaType);
    for (var warning : warnings) {
      headers = headers.and("warning", "299 - " + quoted(warning));
    }
    return headers;
  }

  private static String quoted(String text) {
    var safe = text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ");
    return "\"" + safe + "\"";
  }
}
