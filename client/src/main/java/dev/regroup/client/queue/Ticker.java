package dev.regroup.client.queue;

/** Monotonic time, for durations. The values mean something only relative to each other. */
@FunctionalInterface
public interface Ticker {

  Ticker SYSTEM = System::nanoTime;

  long nanos();
}
