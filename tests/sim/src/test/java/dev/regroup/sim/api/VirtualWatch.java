package dev.regroup.sim.api;

import dev.regroup.sim.Simulation;
import java.util.List;

/**
 * One watch of one kind: a list, then every change in order, each some time later; watches of other
 * kinds are ahead or behind. A watch that broke lists again, and what came in between shows only in
 * its result.
 */
public final class VirtualWatch {

  /** Who follows. */
  public interface Receiver {
    /** Everything there is; what is not in it is gone. */
    void listed(List<Stored> all);

    void changed(Stored object);

    void gone(Stored last);
  }

  private static final int PAUSE = 300;

  private final Simulation sim;
  private final VirtualApi api;
  private final Line line;
  private final Weather weather;
  private final Kind kind;
  private final Receiver receiver;
  private int life;
  private boolean open;
  private boolean running;
  private boolean listed;
  private long last;

  VirtualWatch(
      Simulation sim, VirtualApi api, Line line, Weather weather, Kind kind, Receiver receiver) {
    this.sim = sim;
    this.api = api;
    this.line = line;
    this.weather = weather;
    this.kind = kind;
    this.receiver = receiver;
  }

  /** Lists, as soon as the API answers. */
  public void start() {
    running = true;
    listed = false;
    list(++life, 20);
  }

  /** Its owner is gone. */
  public void stop() {
    running = false;
    open = false;
    life++;
  }

  /** The connection is gone; it is made anew. */
  void breakOff() {
    if (running && open) {
      open = false;
      list(++life, PAUSE);
    }
  }

  private void list(int mine, int within) {
    sim.within(
        within,
        () -> {
          if (mine != life) {
            return;
          }
          if (!line.reachable()) {
            list(mine, PAUSE);
            return;
          }
          open = true;
          last = sim.millis();
          if (!listed || line.listsAgain()) {
            listed = true;
            receiver.listed(api.list(kind));
          }
        });
  }

  void offer(Stored object, boolean gone) {
    if (!open) {
      return;
    }
    if (sim.chance(weather.broken())) {
      breakOff();
      return;
    }
    deliver(object, gone);
    if (sim.chance(weather.repeated())) {
      deliver(object, gone);
    }
  }

  private void deliver(Stored object, boolean gone) {
    int mine = life;
    last = Math.max(last + 1, sim.millis() + 1 + sim.draw(weather.lag()));
    sim.after(
        last - sim.millis(),
        () -> {
          if (mine != life) {
            return;
          }
          if (gone) {
            receiver.gone(object);
          } else {
            receiver.changed(object);
          }
        });
  }
}
