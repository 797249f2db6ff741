package dev.regroup.control;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.util.function.Predicate;

/** Watches of chosen paths that tell what they have heard only later: a cache that lags behind. */
final class LateWatches {

  private Predicate<Request> held = _ -> false;

  synchronized void hold(Predicate<Request> watches) {
    held = watches;
  }

  synchronized void release() {
    held = _ -> false;
    notifyAll();
  }

  private synchronized void pass(Request watch) throws InterruptedException {
    while (held.test(watch)) {
      wait();
    }
  }

  private synchronized boolean late(Request watch) {
    return held.test(watch);
  }

  Transport over(Transport real) {
    return new Transport() {
      @Override
      public Response send(Request request) throws Unreachable, InterruptedException {
        return real.send(request);
      }

      @Override
      public Stream open(Request request) throws Unreachable, InterruptedException {
        return over(real.open(request), request);
      }
    };
  }

  private Transport.Stream over(Transport.Stream real, Request request) {
    return new Transport.Stream() {
      @Override
      public int status() {
        return real.status();
      }

      @Override
      public Headers headers() {
        return real.headers();
      }

      @Override
      public byte @org.jspecify.annotations.Nullable [] next()
          throws Transport.Unreachable, InterruptedException {
        var frame = real.next();
        pass(request);
        return frame;
      }

      @Override
      public byte @org.jspecify.annotations.Nullable [] poll() throws InterruptedException {
        return late(request) ? null : real.poll();
      }

      @Override
      public void close() {
        real.close();
      }
    };
  }
}
