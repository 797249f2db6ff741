package dev.regroup.server;

import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.io.IOException;

/**
 * The certificate of the cluster's authority in {@code kube-system}: from there a controller copies
 * it to every namespace, where pods find it.
 */
record AuthorityMap(Transport transport) {
  private static final ObjectKey PLACE = new ObjectKey("kube-system", "kube-root-ca.crt");
  private static final String KEY = "ca.crt";

  void ensure(String certificate) throws IOException, InterruptedException {
    var client = new ApiClient(transport);
    var map = Wire.object();
    map.putObject("data").put(KEY, certificate);
    try {
      var there = client.get(Kinds.CONFIG_MAPS, PLACE);
      if (there.isEmpty()) {
        map.putObject("metadata").put("name", PLACE.name());
        client.create(Kinds.CONFIG_MAPS, PLACE.namespace(), map);
      } else if (!Trees.text(there.get(), "data", KEY).equals(certificate)) {
        client.mergePatch(Kinds.CONFIG_MAPS, PLACE, Wire.text(map));
      }
    } catch (ApiFailure | Transport.Unreachable e) {
      throw new IOException("the certificate of the authority cannot be published", e);
    }
  }
}
