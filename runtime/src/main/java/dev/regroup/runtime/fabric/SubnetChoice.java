package dev.regroup.runtime.fabric;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Picks the range pods live in: the first candidate that touches nothing the host already routes,
 * owns or asks for names. Pure; what is taken comes in.
 *
 * <p>Candidates are ranges of 4,096 addresses in corners of the private networks that container
 * tools and home routers leave alone. Their order is shuffled, so that two instances that start at
 * the same time rarely want the same one.
 */
final class SubnetChoice {
  private static final int PREFIX = 20; // 4,096 addresses
  private static final List<Subnet> CORNERS =
      List.of(
          Subnet.parse("10.213.0.0/16"),
          Subnet.parse("10.177.0.0/16"),
          Subnet.parse("172.29.0.0/16"),
          Subnet.parse("192.168.208.0/20"));

  private SubnetChoice() {}

  static Optional<Subnet> choose(List<Subnet> taken, RandomGenerator random) {
    return candidates(random).stream()
        .filter(candidate -> taken.stream().noneMatch(candidate::overlaps))
        .findFirst();
  }

  private static List<Subnet> candidates(RandomGenerator random) {
    var all = new ArrayList<Subnet>();
    for (Subnet corner : CORNERS) {
      int pieces = 1 << (PREFIX - corner.prefix());
      var part =
          new ArrayList<>(
              IntStream.range(0, pieces)
                  .mapToObj(i -> new Subnet(corner.at(i << (32 - PREFIX)), PREFIX))
                  .toList());
      Collections.shuffle(part, Random.from(random));
      all.addAll(part);
    }
    return all;
  }
}
