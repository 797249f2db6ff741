package dev.regroup.server.read;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.select.Selection;
import dev.regroup.server.table.TableBody;
import dev.regroup.server.wire.Accept;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.ListOptions;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.store.Entry;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Answers get and list from the store's bytes. */
public final class Reader {
  private static final char NEXT = 0; // the key after a key is that key and this

  private final ObjectStore objects;
  private final Presenter presenter;
  private final History history;

  /** The items of one answer, and what is left for the next. */
  public record Page(List<Entry> items, long revision, String continueToken, long remaining) {}

  public Reader(ObjectStore objects, Presenter presenter) {
    this.objects = objects;
    this.presenter = presenter;
    this.history = new History(objects);
  }

  public Answer get(Call call, ResourceType type) throws Refused {
    var accept = presenter.acceptOne(call, type);
    var info = call.info();
    var version = checkVersion(call.query().text("resourceVersion"));
    var entry = objects.get(type, info.namespace(), info.name());
    if (version > entry.revision()) {
      history.checkPast(type, info.namespace(), version);
    }
    return presenter.one(call, type, accept, 200, entry.value());
  }

  public Answer list(Call call, ResourceType type) throws Refused, InterruptedException {
    var accept = presenter.acceptMany(call, type);
    return answer(call, type, accept, page(call, type));
  }

  /** What a request for many is about. */
  public Page page(Call call, ResourceType type) throws Refused, InterruptedException {
    var options = ListOptions.of(call.query(), false);
    var selection = Selection.of(call.query(), type.selectable());
    return page(type, call.info().namespace(), selection, options);
  }

  /** Objects as they are asked for; plain ones from their bytes, however many there are. */
  public Answer answer(Call call, ResourceType type, Accept accept, Page page) throws Refused {
    return accept.as().isEmpty()
        ? plain(call, type, accept, page)
        : Presenter.tree(call, accept, 200, transformed(call, type, accept, page));
  }

  private Answer plain(Call call, ResourceType type, Accept accept, Page page) {
    return accept.format() == Accept.Format.PROTOBUF
        ? Presenter.whole(call, accept, 200, protobuf(type, page))
        : Presenter.encoded(call, accept, 200, encode(type, page));
  }

  Page page(ResourceType type, String namespace, Selection selection, ListOptions options)
      throws Refused, InterruptedException {
    var start = "";
    History.Picture picture;
    if (!options.continueToken().isEmpty()) {
      if (!options.resourceVersion().isEmpty() && !options.resourceVersion().equals("0")) {
        throw Refused.badRequest("specifying resource version is not allowed when using continue");
      }
      var token = ContinueToken.decode(options.continueToken());
      start = token.startKey();
      picture = history.continued(type, namespace, token);
    } else {
      picture = history.at(type, namespace, options);
    }
    boolean fromMemory = options.resourceVersion().equals("0") && start.isEmpty();
    return cut(picture, type, selection, fromMemory ? 0 : options.limit(), start);
  }

  private Page cut(
      History.Picture picture, ResourceType type, Selection selection, long limit, String start) {
    var items = new ArrayList<Entry>();
    var all = picture.entries();
    for (int i = firstFrom(all, start); i < all.size(); i++) {
      var entry = all.get(i);
      if (!matches(selection, type, entry)) {
        continue;
      }
      items.add(entry);
      boolean more = i + 1 < all.size(); // whether they match is not known yet
      if (limit > 0 && items.size() == limit && more) {
        var token = new ContinueToken(picture.revision(), entry.key() + NEXT).encode();
        long remaining = selection.everything() ? all.size() - i - 1 : 0;
        return new Page(items, picture.revision(), token, remaining);
      }
    }
    return new Page(items, picture.revision(), "", 0);
  }

  public static boolean matches(Selection selection, ResourceType type, Entry entry) {
    int slash = type.namespaced() ? entry.key().indexOf('/') : -1;
    return selection.matches(
        slash < 0 ? "" : entry.key().substring(0, slash),
        entry.key().substring(slash + 1),
        entry.value());
  }

  private static int firstFrom(List<Entry> sorted, String key) {
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).key().compareTo(key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** A list of built-in kinds names the kind once, one of custom kinds in every item. */
  private byte[] encode(ResourceType type, Page page) {
    var bytes = objects.bytes(type);
    boolean custom = type.has(ResourceType.Trait.CUSTOM);
    int size = 200 + page.continueToken().length();
    for (var item : page.items()) {
      size += item.value().length + 1;
    }
    var out = new ByteArrayOutputStream(size);
    out.writeBytes(listHead(type, page).getBytes(StandardCharsets.UTF_8));
    boolean first = true;
    for (var item : page.items()) {
      if (!first) {
        out.write(',');
      }
      first = false;
      if (custom) {
        out.writeBytes(item.value());
      } else {
        bytes.writeItem(item.value(), out);
      }
    }
    out.writeBytes("]}".getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  private static byte[] protobuf(ResourceType type, Page page) {
    var items = page.items();
    return ProtobufCodec.writeList(
        listTree(type, page),
        type.kind(),
        items.size(),
        i -> ObjectStore.tree(items.get(i).value()));
  }

  private static String listHead(ResourceType type, Page page) {
    var text = Wire.text(listTree(type, page));
    return text.substring(0, text.length() - 1) + ",\"items\":[";
  }

  /** All but the items. */
  private static ObjectNode listTree(ResourceType type, Page page) {
    var list = Wire.object();
    list.put("kind", type.names().listKind()).put("apiVersion", type.kind().apiVersion());
    var metadata = listMetadata(page);
    if (type.has(ResourceType.Trait.CUSTOM) && !metadata.has("continue")) {
      metadata.put("continue", ""); // lists without a class of their own always say it
    }
    list.set("metadata", metadata);
    return list;
  }

  private static ObjectNode listMetadata(Page page) {
    var metadata = Wire.object();
    metadata.put("resourceVersion", Long.toString(page.revision()));
    if (!page.continueToken().isEmpty()) {
      metadata.put("continue", page.continueToken());
    }
    if (page.remaining() > 0) {
      metadata.put("remainingItemCount", page.remaining());
    }
    return metadata;
  }

  private ObjectNode transformed(Call call, ResourceType type, Accept accept, Page page)
      throws Refused {
    var trees = new ArrayList<ObjectNode>();
    page.items().forEach(item -> trees.add(ObjectStore.tree(item.value())));
    if (accept.as().equals("Table")) {
      var table = presenter.table(call, type, trees);
      table.set("metadata", listMetadata(page));
      return table;
    }
    var list = Wire.object();
    list.put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/v1");
    list.set("metadata", listMetadata(page));
    var items = list.putArray("items");
    trees.forEach(tree -> items.add(TableBody.partialMetadata(tree)));
    return list;
  }

  private static long checkVersion(String version) throws Refused {
    try {
      return ListOptions.parse(version);
    } catch (ListOptions.BadVersion e) {
      throw new Refused(Status.plainError(badVersion(version, e)));
    }
  }

  static String badVersion(String version, ListOptions.BadVersion problem) {
    return "resourceVersion: Invalid value: \"" + version + "\": " + problem.getMessage();
  }
}
