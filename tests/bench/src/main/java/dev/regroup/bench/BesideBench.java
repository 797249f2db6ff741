package dev.regroup.bench;

import dev.regroup.bench.outside.KubernetesOutside;
import dev.regroup.bench.outside.ServerOutside;
import dev.regroup.upstream.GoPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same clients ask Regroup's API server and kube-apiserver with etcd, in turn, on the same
 * machine and disk. Here the floor of each figure is Kubernetes: a ratio of 0.5 is half of what
 * Kubernetes needs. Processor time says more than time where others use the machine, too.
 */
final class BesideBench implements Benchmark {

  private static final int WARM_UP = 2;
  private static final int HANDSHAKE_ROUNDS = 3;

  private final GoPrograms programs;

  BesideBench(GoPrograms programs) {
    this.programs = programs;
  }

  /** One of the two, with its samples of one figure. */
  private record Side(ServerOutside server, OutsideLoad load) {}

  /** One sample of one side. */
  private interface Sample {
    double of(Side side) throws Exception;
  }

  @Override
  public String name() {
    return "beside";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    int rounds = Math.max(3, Math.ceilDiv(effort.rounds(), 20));
    try (var regroup = OutsideServer.start(Files.createDirectory(folder.resolve("regroup")));
        var kubernetes =
            KubernetesOutside.start(
                programs, Files.createDirectory(folder.resolve("kubernetes")))) {
      OutsideServer.awaitAccount(regroup.clients().connect());
      var ours = new Side(regroup, new OutsideLoad(regroup.clients()));
      var theirs = new Side(kubernetes, new OutsideLoad(kubernetes.clients()));
      var figures = new ArrayList<Figure>();
      var sides = new Sides(ours, theirs, rounds);
      figures.addAll(sides.writes("beside-create-2k", side -> side.load().creates()));
      figures.addAll(sides.writes("beside-patch-2k", side -> side.load().patches()));
      figures.addAll(sides.writes("beside-apply-2k", side -> side.load().applies()));
      ours.load().fill();
      theirs.load().fill();
      figures.add(sides.times("beside-list-10k", side -> millis(side.load().list().time())));
      figures.add(fanOut(sides, 1_000));
      figures.add(fanOut(sides, 5_000));
      figures.add(
          new Sides(ours, theirs, HANDSHAKE_ROUNDS)
              .times(
                  "beside-handshake",
                  side -> millis(HandshakeBench.secure(side.server().clients()))));
      figures.add(
          new Figure(
              "beside-memory",
              Figure.Unit.MEGABYTES,
              new Samples(List.of(regroup.megabytes())),
              new Samples(List.of(kubernetes.megabytes()))));
      return figures;
    }
  }

  private static Figure fanOut(Sides sides, int watches) throws Exception {
    try (var ours = new OutsideFanOut(sides.ours().server().clients(), watches);
        var theirs = new OutsideFanOut(sides.theirs().server().clients(), watches)) {
      return sides.times(
          "beside-fanout-" + watches,
          side -> millis((side.equals(sides.ours()) ? ours : theirs).round()));
    }
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }

  /** The two in turn; who comes first changes from round to round. */
  private record Sides(Side ours, Side theirs, int rounds) {

    Figure times(String name, Sample sample) throws Exception {
      var measured = new ArrayList<Double>();
      var floors = new ArrayList<Double>();
      for (int round = 0; round < rounds; round++) {
        for (var side : inTurn(round)) {
          (side.equals(ours) ? measured : floors).add(sample.of(side));
        }
      }
      return new Figure(name, Figure.Unit.MILLIS, new Samples(measured), new Samples(floors));
    }

    /** Two figures: writes a second, and processor time of one. */
    List<Figure> writes(String name, Sample slice) throws Exception {
      var rates = new ArrayList<Double>();
      var theirRates = new ArrayList<Double>();
      var cpu = new ArrayList<Double>();
      var theirCpu = new ArrayList<Double>();
      for (int round = -WARM_UP; round < rounds; round++) {
        for (var side : inTurn(round)) {
          var before = side.server().cpu();
          double rate = slice.of(side);
          double each = millis(side.server().cpu().minus(before)) / Rate.SLICE_WRITES;
          if (round >= 0) {
            (side.equals(ours) ? rates : theirRates).add(rate);
            (side.equals(ours) ? cpu : theirCpu).add(each);
          }
        }
      }
      return List.of(
          new Figure(name, Figure.Unit.PER_SECOND, new Samples(rates), new Samples(theirRates)),
          new Figure(name + "-cpu", Figure.Unit.MILLIS, new Samples(cpu), new Samples(theirCpu)));
    }

    private List<Side> inTurn(int round) {
      return round % 2 == 0 ? List.of(ours, theirs) : List.of(theirs, ours);
    }
  }
}
