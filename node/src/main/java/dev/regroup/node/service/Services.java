package dev.regroup.node.service;

import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Item;
import java.util.List;
import java.util.Optional;

/** Port to the services there are now. */
public interface Services {

  /** A node without services. */
  Services NONE =
      new Services() {
        @Override
        public Optional<ServiceView> service(ObjectKey key) {
          return Optional.empty();
        }

        @Override
        public List<Item<ServiceView>> in(String namespace) {
          return List.of();
        }
      };

  Optional<ServiceView> service(ObjectKey key);

  /** Those of a namespace, in the order of their names. */
  List<Item<ServiceView>> in(String namespace);
}
