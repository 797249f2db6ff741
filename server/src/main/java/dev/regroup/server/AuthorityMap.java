package dev.regroup.server;

import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.util.List;

/**
 * The certificate of the cluster's authority, where pods find it. In {@code kube-system}, from
 * where a controller copies it to every namespace, and in {@code default}, whose first pods need it
 * before any controller has looked.
 */
record AuthorityMap(Transport transport) {
  private static final List<String> NAMESPACES = List.of("kube-system", "default");
  private static final String NAME = "kube-root-ca.crt";
  private static final String KEY = "ca.crt";

  void ensure(String certificate) throws IOException, InterruptedException {
    try {
      for (var namespace : NAMESPACES) {
        ensure(new ObjectKey(namespace, NAME), certificate);
      }
    } catch (ApiFailure | Transport.Unreachable e) {
      throw new IOException("the certificate of the authority cannot be published", e);
    }
  }

  private void ensure(ObjectKey place, String certificate)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var client = new ApiClient(transport);
    var map = Wire.object();
    map.putObject("data").put(KEY, certificate);
    var there = client.get(Kinds.CONFIG_MAPS, place);
    if (there.isPresent()) {
      if (!Trees.text(there.get(), "data", KEY).equals(certificate)) {
        client.mergePatch(Kinds.CONFIG_MAPS, place, Wire.text(map));
      }
      return;
    }
    map.putObject("metadata").put("name", NAME);
    try {
      client.create(Kinds.CONFIG_MAPS, place.namespace(), map);
    } catch (ApiFailure failure) {
      if (!failure.alreadyExists()) { // the controller was quicker
        throw failure;
      }
    }
  }
}
