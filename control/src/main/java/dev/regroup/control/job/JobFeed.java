package dev.regroup.control.job;

import dev.regroup.api.tree.Owner;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import java.util.List;
import java.util.Optional;

/** Jobs as the controllers of Jobs and JobSets see them, and how they are looked up. */
public final class JobFeed {

  private static final String CONTROLLER = "controller";
  private static final String NAMESPACE = "namespace";

  private final Informer<JobView> informer;

  public JobFeed(SharedFeeds feeds) {
    this.informer =
        feeds
            .<JobView>informer(Kinds.JOBS, JobView::read)
            .index(CONTROLLER, item -> item.value().controller().map(Owner::uid).stream().toList())
            .index(NAMESPACE, item -> List.of(item.key().namespace()));
  }

  public Informer<JobView> informer() {
    return informer;
  }

  public Optional<Item<JobView>> get(ObjectKey key) {
    return informer.get(key);
  }

  public List<Item<JobView>> controlledBy(String uid) {
    return informer.find(CONTROLLER, uid);
  }

  public List<Item<JobView>> in(String namespace) {
    return informer.find(NAMESPACE, namespace);
  }
}
