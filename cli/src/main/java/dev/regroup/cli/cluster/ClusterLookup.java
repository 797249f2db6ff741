package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What admission asks of other objects, on a cluster: claims and nodes are read when asked for,
 * leading pods are known. A question the API server does not answer fails the review, and with it
 * the write.
 */
record ClusterLookup(ApiClient client, ClusterWatch watch) implements Lookup {

  @Override
  public Optional<ObjectNode> find(
      String apiVersion, String kind, @Nullable String namespace, String name) {
    return switch (kind) {
      case "PersistentVolumeClaim" -> read(Kinds.CLAIMS, namespace, name);
      case "Node" -> read(Kinds.NODES, null, name);
      default -> Optional.empty(); // admission of JobSets and pods asks for nothing else
    };
  }

  @Override
  public List<ObjectNode> named(String apiVersion, String kind, String namespace, String prefix) {
    return kind.equals("Pod") ? watch.leaders(namespace, prefix) : List.of();
  }

  private Optional<ObjectNode> read(
      Resource<ObjectNode> resource, @Nullable String namespace, String name) {
    try {
      return client.get(
          resource, namespace == null ? ObjectKey.cluster(name) : new ObjectKey(namespace, name));
    } catch (ApiFailure e) {
      throw new UncheckedIOException(new IOException(e.getMessage(), e));
    } catch (Transport.Unreachable e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("stopped", e));
    }
  }
}
