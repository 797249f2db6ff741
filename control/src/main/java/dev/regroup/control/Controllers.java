package dev.regroup.control;

import dev.regroup.api.Gates;
import dev.regroup.client.Transport;
import dev.regroup.control.endpoints.EndpointsController;
import dev.regroup.control.events.EventSink;
import dev.regroup.control.job.JobController;
import dev.regroup.control.job.JobFeed;
import dev.regroup.control.namespaces.NamespaceController;
import dev.regroup.control.owners.OwnerController;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.scheduler.Scheduler;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/** All controllers of a cluster: started together, stopped together in the reverse order. */
public final class Controllers implements AutoCloseable {

  /** One part that has to be stopped. */
  private interface Part {
    void close();
  }

  private final Deque<Part> parts = new ArrayDeque<>();

  private Controllers(
      Function<String, Transport> as, Gates gates, InstantSource clock, RandomGenerator random) {
    Objects.requireNonNull(gates, "gates");
    var namespaces = new NamespaceController(as.apply("namespace-controller"), random);
    parts.push(namespaces::close);
    var owners =
        new OwnerController(as.apply("generic-garbage-collector"), random, namespaces::emptied);
    parts.push(owners::close);
    var endpoints = new EndpointsController(as.apply("endpointslice-controller"), random);
    parts.push(endpoints::close);
    var schedulerEvents = sink(as.apply("default-scheduler"), "default-scheduler", clock);
    var scheduler = new Scheduler(as.apply("default-scheduler"), schedulerEvents, clock, random);
    parts.push(scheduler::close);
    var pods = new PodFeed(as.apply("job-controller"), random);
    var jobs = new JobFeed(as.apply("job-controller"), random);
    var jobEvents = sink(as.apply("job-controller"), "job-controller", clock);
    var job = new JobController(as.apply("job-controller"), jobs, pods, jobEvents, clock);
    parts.push(job::close);
    parts.push(pods::close);
    parts.push(jobs::close);
    namespaces.start();
    owners.start();
    endpoints.start();
    scheduler.start();
    pods.start();
    jobs.start();
  }

  /**
   * Starts them all.
   *
   * @param as a transport under the identity of the named controller
   */
  public static Controllers start(
      Function<String, Transport> as, Gates gates, InstantSource clock, RandomGenerator random) {
    return new Controllers(as, gates, clock, random);
  }

  @Override
  public void close() {
    while (!parts.isEmpty()) {
      parts.pop().close();
    }
  }

  private EventSink sink(Transport transport, String component, InstantSource clock) {
    var sink = new EventSink(transport, component, clock);
    parts.push(sink::close);
    return sink;
  }
}
