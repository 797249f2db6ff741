package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.protobuf.ProtobufCodec;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;

/** One kind of input, and how a recorded request is spoiled in that part and nowhere else. */
enum FuzzTarget {
  JSON_BODIES(request -> isWrite(request) && FuzzCorpus.hasTree(request)) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var typed = spoiler.chance(3) ? put(good) : spoiler.fresh(good);
      return spoiler.json(typed, "application/json");
    }
  },

  YAML_BODIES(request -> isWrite(request) && request.body().length > 0) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var typed = spoiler.fresh(good);
      if (spoiler.chance(4) || !FuzzCorpus.hasTree(typed)) {
        return body(typed, "application/yaml", spoiler.texts.of(typed.body()));
      }
      var plain = JSON.convertValue(FuzzCorpus.tree(typed), Object.class);
      var yaml = new Dump(DumpSettings.builder().build()).dumpToString(plain);
      return body(typed, "application/yaml", spoiler.texts.of(yaml.getBytes(UTF_8)));
    }
  },

  PROTOBUF_BODIES(request -> isCreate(request) && protobuf(FuzzCorpus.tree(request)).length > 0) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var typed = spoiler.chance(3) ? put(good) : spoiler.fresh(good);
      var whole = protobuf(FuzzCorpus.tree(typed));
      var changed = protobuf(spoiler.trees.of(FuzzCorpus.tree(typed)));
      var bytes = changed.length > 0 && spoiler.chance(2) ? changed : spoiler.texts.of(whole);
      return body(typed, "application/vnd.kubernetes.protobuf", bytes);
    }
  },

  JSON_PATCHES(request -> hasType(request, "application/json-patch+json") || isCreate(request)) {
    private static final List<String> OPERATIONS =
        List.of("add", "add", "add", "replace", "replace", "remove", "test", "copy", "move");

    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      if (good.method().equals("PATCH")) {
        return spoiler.json(good, "application/json-patch+json");
      }
      var operations = JSON.createArrayNode();
      for (int more = 1 + spoiler.random.nextInt(3); more > 0; more--) {
        var part = spoiler.pick(List.copyOf(FuzzCorpus.tree(good).properties()));
        var fields = List.copyOf(part.getValue().properties());
        var field = fields.isEmpty() ? part : spoiler.pick(fields);
        operations
            .addObject()
            .put("op", spoiler.pick(OPERATIONS))
            .put("path", (fields.isEmpty() ? "/" : "/" + part.getKey() + "/") + field.getKey())
            .put("from", "/metadata/" + spoiler.pick(List.of("labels", "annotations", "name", "")))
            .set(
                "value", spoiler.chance(2) ? field.getValue() : spoiler.trees.of(field.getValue()));
      }
      var request = patch(good, operations);
      return spoiler.chance(3)
          ? spoiler.json(request, "application/json-patch+json")
          : body(request, "application/json-patch+json", request.body());
    }
  },

  MERGE_PATCHES(FuzzTarget::isTreePatch) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      return spoiler.json(patch(good, FuzzCorpus.tree(good)), "application/merge-patch+json");
    }
  },

  STRATEGIC_PATCHES(FuzzTarget::isTreePatch) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      return spoiler.json(
          patch(good, FuzzCorpus.tree(good)), "application/strategic-merge-patch+json");
    }
  },

  APPLY(FuzzTarget::isTreePatch) {
    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var query =
          spoiler.pick(List.of("", "&force=true", "&force=true", "&fieldValidation=Strict"));
      var manager = spoiler.pick(List.of("a", "b", "c"));
      return spoiler
          .json(patch(good, FuzzCorpus.tree(good)), "application/apply-patch+yaml")
          .withQuery("fieldManager=" + manager + query);
    }
  },

  QUERIES(request -> !FuzzCorpus.rulesOthers(request)) {
    private static final List<String> PARAMETERS =
        List.of(
            "labelSelector=a%20in%20(b,c),!d,e!=f,g==h,i,j%20notin%20(k)",
            "fieldSelector=metadata.name=m,status.phase!=Running,spec.nodeName==n",
            "fieldSelector=involvedObject.name=x,reason=y,type=Normal",
            "limit=3",
            "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0",
            "resourceVersion=1",
            "resourceVersion=0",
            "resourceVersionMatch=Exact",
            "resourceVersionMatch=NotOlderThan",
            "timeoutSeconds=1",
            "watch=true",
            "watch=0",
            "allowWatchBookmarks=true",
            "sendInitialEvents=true",
            "dryRun=All",
            "fieldManager=x",
            "fieldValidation=Strict",
            "fieldValidation=Warn",
            "force=true",
            "pretty=true",
            "propagationPolicy=Foreground",
            "propagationPolicy=Orphan",
            "gracePeriodSeconds=0",
            "orphanDependents=true",
            "container=c",
            "tailLines=5",
            "sinceTime=2026-01-01T00:00:00Z",
            "limitBytes=-1",
            "includeObject=Object");

    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var query = new StringBuilder(good.query());
      for (int more = spoiler.random.nextInt(4); more > 0; more--) {
        query.append(query.isEmpty() ? "" : "&").append(spoiler.pick(PARAMETERS));
      }
      return spoiler.fresh(good).withQuery(spoiler.texts.of(query.toString()));
    }
  },

  PATHS(request -> !FuzzCorpus.rulesOthers(request)) {
    private static final List<String> SEGMENTS =
        List.of(
            "status",
            "log",
            "eviction",
            "binding",
            "token",
            "finalize",
            "scale",
            "resize",
            "proxy",
            "ephemeralcontainers",
            "exec",
            "attach",
            "portforward",
            "x",
            "watch",
            "namespaces",
            "v1",
            "%2e%2e",
            "%00",
            "apis",
            "api",
            "default",
            "openapi",
            "v3",
            "metrics",
            "healthz");

    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var path = spoiler.chance(2) ? good.path() + "/" + spoiler.pick(SEGMENTS) : good.path();
      var method = spoiler.chance(3) ? spoiler.pick(METHODS) : good.method();
      var spoiled = spoiler.chance(3) ? path : "/" + spoiler.texts.of(path.substring(1));
      var body = spoiler.fresh(good).body();
      return new Request(method, spoiled, good.query(), good.headers(), body);
    }
  },

  HEADERS(request -> !FuzzCorpus.rulesOthers(request)) {
    private static final List<String> VALUES =
        List.of(
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.5",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            "*/*;q=0.1",
            "text/html",
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
            "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
            "gzip",
            "application/merge-patch+json",
            "application/apply-patch+yaml",
            "application/cbor",
            "kubernetes-admin",
            "system:masters",
            "system:serviceaccount:default:default",
            "system:node:n",
            "system:nodes",
            "system:anonymous",
            "5",
            "Basic eDp5",
            "Bearer x");
    private static final List<String> NAMES =
        List.of(
            "accept",
            "content-type",
            "impersonate-user",
            "impersonate-group",
            "impersonate-uid",
            "impersonate-extra-a%2fb",
            "impersonate-extra-",
            "accept-encoding",
            "authorization",
            "content-length",
            "connection",
            "upgrade",
            "if-match",
            "if-none-match",
            "user-agent",
            "x-stream-protocol-version",
            "sec-websocket-protocol",
            "content-encoding");

    @Override
    Request spoiled(Request good, Spoiler spoiler) {
      var request = spoiler.fresh(good);
      for (int more = 1 + spoiler.random.nextInt(4); more > 0; more--) {
        var name = spoiler.pick(NAMES);
        var value = spoiler.pick(VALUES);
        var spoiled = spoiler.chance(2) ? value : spoiler.texts.of(value);
        var fields = new java.util.TreeMap<>(request.headers().fields());
        fields.put(name, spoiler.chance(4) ? List.of(value, spoiled) : List.of(spoiled));
        request =
            new Request(
                request.method(),
                request.path(),
                request.query(),
                new Headers(fields),
                request.body());
      }
      return request;
    }
  };

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> METHODS =
      List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "X");

  private final Predicate<Request> takes;

  FuzzTarget(Predicate<Request> takes) {
    this.takes = takes;
  }

  /** The requests this target spoils. */
  List<Request> seeds(FuzzCorpus corpus) {
    return corpus.all(takes);
  }

  /** The input of this number, the same for the same seed whatever came before it. */
  Request input(List<Request> seeds, FuzzCorpus corpus, long seed, int number) {
    var random = new Random(seed * 1_000_003 + number);
    var spoiler = new Spoiler(random, new TreeMutations(corpus, random), new TextMutations(random));
    return spoiled(spoiler.pick(seeds), spoiler);
  }

  abstract Request spoiled(Request good, Spoiler spoiler);

  /** What changes requests, and the chance it is driven by. */
  record Spoiler(Random random, TreeMutations trees, TextMutations texts) {

    boolean chance(int oneIn) {
      return random.nextInt(oneIn) == 0;
    }

    <T> T pick(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    /** Mostly under a name that nothing has: what would be made is there already. */
    Request fresh(Request good) {
      var tree = FuzzCorpus.tree(good);
      if (chance(4) || !good.method().equals("POST") || !tree.at("/metadata/name").isTextual()) {
        return good;
      }
      tree.withObject("/metadata").put("name", "fresh");
      return new Request("POST", good.path(), good.query(), good.headers(), bytes(tree));
    }

    /** Mostly JSON of another structure, sometimes with bytes that make it none. */
    Request json(Request good, String type) {
      var bytes = bytes(trees.of(FuzzCorpus.tree(good)));
      return body(good, type, chance(6) ? texts.of(bytes) : bytes);
    }
  }

  private static boolean isWrite(Request request) {
    return List.of("POST", "PUT", "DELETE").contains(request.method());
  }

  private static boolean isCreate(Request request) {
    var tree = FuzzCorpus.tree(request);
    return request.method().equals("POST") && tree.isObject() && !tree.isEmpty();
  }

  private static boolean isTreePatch(Request request) {
    return isCreate(request)
        || (request.method().equals("PATCH") && FuzzCorpus.tree(request).isObject());
  }

  private static boolean hasType(Request request, String type) {
    return request.headers().all("content-type").contains(type) && FuzzCorpus.hasTree(request);
  }

  /** The same object, written over one of its name. */
  private static Request put(Request create) {
    var name = FuzzCorpus.tree(create).at("/metadata/name").asText("x");
    return create.method().equals("POST") ? at("PUT", create, create.body(), "/" + name) : create;
  }

  /** The patch, for the object that was created when it was no patch. */
  private static Request patch(Request request, JsonNode patch) {
    var name = FuzzCorpus.tree(request).at("/metadata/name").asText("x");
    return request.method().equals("POST")
        ? at("PATCH", request, bytes(patch), "/" + name)
        : request;
  }

  private static Request at(String method, Request request, byte[] body, String more) {
    var path = request.path() + more.replaceAll("[^a-z0-9./-]", "");
    return new Request(method, path, request.query(), request.headers(), body);
  }

  private static Request body(Request request, String type, byte[] body) {
    return new Request(
        request.method(), request.path(), request.query(), Headers.of("content-type", type), body);
  }

  private static byte[] bytes(JsonNode tree) {
    try {
      return JSON.writeValueAsString(tree).getBytes(UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree that cannot be written", e);
    }
  }

  /** Nothing when there is no such form of the tree. */
  private static byte[] protobuf(JsonNode tree) {
    try {
      return tree instanceof ObjectNode object ? ProtobufCodec.write(object) : new byte[0];
    } catch (RuntimeException e) {
      return new byte[0];
    }
  }
}
