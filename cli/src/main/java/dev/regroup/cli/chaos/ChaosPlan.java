package dev.regroup.cli.chaos;

import dev.regroup.cli.chaos.Deed.When;
import dev.regroup.cli.screen.CliFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;

/** What is to be done to a group: told line by line, or drawn once the group is known. */
public sealed interface ChaosPlan {

  /** The deeds for a group of so many workers. */
  List<Deed> deeds(int workers) throws CliFailure;

  /** Deeds that somebody wrote down. */
  record Told(List<Deed> told) implements ChaosPlan {
    public Told {
      told = List.copyOf(told);
    }

    @Override
    public List<Deed> deeds(int workers) throws CliFailure {
      for (var deed : told) {
        for (int worker : deed.workers()) {
          if (worker >= workers) {
            throw new CliFailure(
                CliFailure.Code.USAGE,
                "plan: %s: there is no worker %d (the group has %d: 0 to %d)"
                    .formatted(deed, worker, workers, workers - 1),
                null);
          }
        }
      }
      return told;
    }

    @Override
    public String toString() {
      return told.stream().map(Deed::toString).collect(Collectors.joining("; "));
    }
  }

  /**
   * Deeds by chance; the same seed gives the same deeds to a group of the same size.
   *
   * @param over the deeds are spread over this time
   * @param harms to choose from
   */
  record Drawn(long seed, int count, Duration over, List<Harm> harms) implements ChaosPlan {

    /** What every group has to stand, whatever its probes and limits. */
    static final List<Harm> USUAL = List.of(Harm.KILL, Harm.TERMINATE, Harm.DELETE);

    private static final String GENERATOR = "L64X128MixRandom"; // named: the same in every release
    private static final int LONGEST = 5; // seconds that a stop or a cut lasts

    public Drawn {
      harms = List.copyOf(harms);
    }

    @Override
    public List<Deed> deeds(int workers) {
      var random = RandomGeneratorFactory.of(GENERATOR).create(seed);
      var deeds = new ArrayList<Deed>();
      for (int i = 0; i < count; i++) {
        var harm = harms.get(random.nextInt(harms.size()));
        var after = Duration.ofMillis(random.nextLong(Math.max(1, over.toMillis())));
        var lasting =
            harm.canLast() ? Duration.ofSeconds(1 + random.nextInt(LONGEST)) : Duration.ZERO;
        deeds.add(
            new Deed(harm, List.of(random.nextInt(workers)), "", new When.After(after), lasting));
      }
      deeds.sort(Comparator.comparing(deed -> ((When.After) deed.when()).time()));
      return deeds;
    }

    @Override
    public String toString() {
      return "random %d over %s seed %d".formatted(count, Deed.text(over), seed);
    }
  }
}
