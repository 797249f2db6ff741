package dev.regroup.bench;

import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import dev.regroup.store.WriteOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The store alone: durable creates of 2 KB from sixteen writers. */
final class StoreBench implements Benchmark {

  @Override
  public String name() {
    return "store";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    var rates = new ArrayList<Double>();
    var floors = new ArrayList<Double>();
    var numbers = new AtomicInteger();
    try (var store = Store.open(folder.resolve("store"), Settings.STANDARD)) {
      Rate.Write write =
          number -> {
            var outcome = store.create("objects", "n/" + number, _ -> new byte[Rate.BYTES]);
            if (!(outcome instanceof WriteOutcome.Committed)) {
              throw new IllegalStateException("not written: " + outcome);
            }
          };
      Rate.warmUp(write, numbers);
      for (int round = 0; round < Math.ceilDiv(effort.rounds(), 2); round++) {
        floors.add(Rate.diskSlice(folder.resolve("floor")));
        rates.add(Rate.slice(write, numbers));
      }
    }
    return List.of(
        new Figure(
            "store-create-2k", Figure.Unit.PER_SECOND, new Samples(rates), new Samples(floors)));
  }
}
