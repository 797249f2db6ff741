package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import dev.regroup.store.WriteOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The API server as its clients meet it: it is another process, and everything goes over HTTPS. The
 * load is that of {@link OutsideLoad} and {@link OutsideFanOut}, with 1,000 watches and 5,000. The
 * floor of writes is that of {@link ApiCreateBench}, of the others the same bytes through a bare
 * connection.
 */
final class OutsideBench implements Benchmark {

  /** A slice of one sort of writes. */
  private interface Slice {
    double perSecond() throws Exception;
  }

  @Override
  public String name() {
    return "outside";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    int rounds = Math.max(3, Math.ceilDiv(effort.rounds(), 5));
    try (var server = OutsideServer.start(folder);
        var store = Store.open(folder.resolve("floor"), Settings.STANDARD)) {
      OutsideServer.awaitAccount(server.clients().connect());
      var load = new OutsideLoad(server.clients());
      var stored = new AtomicInteger();
      Rate.Write keep = number -> keep(store, number);
      Rate.warmUp(keep, stored);
      Slice floor = () -> Rate.slice(keep, stored);
      return List.of(
          rate("outside-create-2k", load::creates, floor, rounds),
          rate("outside-patch-2k", load::patches, floor, rounds),
          rate("outside-apply-2k", load::applies, floor, rounds),
          list(load, rounds),
          fanOut(server, 1_000, rounds),
          fanOut(server, 5_000, rounds));
    }
  }

  private static Figure rate(String name, Slice slice, Slice floor, int rounds) throws Exception {
    var rates = new ArrayList<Double>();
    var floors = new ArrayList<Double>();
    for (int warming = 0; warming < Rate.WARM_UP_SLICES; warming++) {
      slice.perSecond();
    }
    for (int round = 0; round < rounds; round++) {
      floors.add(floor.perSecond());
      rates.add(slice.perSecond());
    }
    return new Figure(name, Figure.Unit.PER_SECOND, new Samples(rates), new Samples(floors));
  }

  private static Figure list(OutsideLoad load, int rounds) throws Exception {
    load.fill();
    var times = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    for (int round = 0; round < rounds; round++) {
      var listed = load.list();
      times.add(listed.time());
      floors.add(LoopbackFloor.send(1, listed.bytes()));
    }
    return new Figure(
        "outside-list-10k", Figure.Unit.MILLIS, Samples.ofMillis(times), Samples.ofMillis(floors));
  }

  private static Figure fanOut(OutsideServer server, int watches, int rounds) throws Exception {
    try (var fanOut = new OutsideFanOut(server.clients(), watches)) {
      var times = new ArrayList<Duration>();
      var floors = new ArrayList<Duration>();
      for (int round = 0; round < rounds; round++) {
        times.add(fanOut.round());
        floors.add(LoopbackFloor.send(watches, fanOut.frame()));
      }
      return new Figure(
          "outside-fanout-" + watches,
          Figure.Unit.MILLIS,
          Samples.ofMillis(times),
          Samples.ofMillis(floors));
    }
  }

  private static void keep(Store store, int number) throws Exception {
    byte[] encoded = Wire.write(Wire.tree(OutsideLoad.pod(number).getBytes(UTF_8)));
    if (!(store.create("objects", "n/" + number, _ -> encoded) instanceof WriteOutcome.Committed)) {
      throw new IllegalStateException("not written: " + number);
    }
  }
}
