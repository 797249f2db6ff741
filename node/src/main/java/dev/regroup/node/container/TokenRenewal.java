package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.DownwardApi;
import dev.regroup.node.env.PodToken;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.volume.VolumeFailure;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the tokens in the volumes of a pod that runs. New ones are fetched on a thread of their
 * own, because the API server may be slow or away and the pod must not wait; the pod's worker then
 * writes them. What fails is tried again with a later look.
 */
public final class TokenRenewal {
  private static final Logger LOG = LoggerFactory.getLogger(TokenRenewal.class);

  private final ContainerDescriber starts;
  private final Configs configs;
  private final PodThreads threads;
  private final Pokes pokes;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  private enum State {
    IDLE,
    FETCHING,
    FETCHED
  }

  TokenRenewal(ContainerDescriber starts, Configs configs, PodThreads threads, Pokes pokes) {
    this.starts = starts;
    this.configs = configs;
    this.threads = threads;
    this.pokes = pokes;
  }

  /** Does what can be done now without waiting. Called with every look that found nothing to do. */
  public void look(NodePod view, String address) throws InterruptedException {
    if (state.compareAndSet(State.FETCHED, State.IDLE)) {
      write(view, address);
    }
    var due = starts.volumes().dueTokens(view.pod());
    if (!due.isEmpty() && state.compareAndSet(State.IDLE, State.FETCHING)) {
      threads.start("tokens-" + view.name(), () -> fetch(due));
    }
  }

  private void fetch(List<PodToken> due) throws InterruptedException {
    var next = State.IDLE;
    try {
      for (var token : due) {
        configs.token(token);
      }
      next = State.FETCHED;
    } catch (ConfigFailure e) {
      LOG.debug("tokens were not renewed", e);
    } finally {
      state.set(next);
    }
    if (next == State.FETCHED) {
      pokes.poke();
    }
  }

  private void write(NodePod view, String address) throws InterruptedException {
    try {
      starts.volumes().writeTokens(view.pod(), new DownwardApi(view.pod(), starts.facts(address)));
    } catch (VolumeFailure e) {
      LOG.warn("pod {}/{}: new tokens were not written", view.namespace(), view.name(), e);
    }
  }
}
