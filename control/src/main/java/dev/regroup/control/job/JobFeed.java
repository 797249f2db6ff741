package dev.regroup.control.job;

import dev.regroup.api.tree.Owner;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.informer.SharedInformer;
import java.util.List;
import java.util.random.RandomGenerator;

/** The one informer on Jobs, shared by the controllers of Jobs and JobSets. */
public final class JobFeed extends SharedInformer<JobView> {

  private static final String CONTROLLER = "controller";
  private static final String NAMESPACE = "namespace";

  public JobFeed(Transport transport, RandomGenerator random) {
    super(
        new Informer<JobView>(transport, Kinds.JOBS, ListQuery.ALL, JobView::read, random)
            .index(CONTROLLER, item -> item.value().controller().map(Owner::uid).stream().toList())
            .index(NAMESPACE, item -> List.of(item.key().namespace())));
  }

  public List<Item<JobView>> controlledBy(String uid) {
    return find(CONTROLLER, uid);
  }

  public List<Item<JobView>> in(String namespace) {
    return find(NAMESPACE, namespace);
  }
}
