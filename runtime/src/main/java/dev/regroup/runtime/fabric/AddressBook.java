package dev.regroup.runtime.fabric;

import dev.regroup.runtime.PodUid;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which pod has which address. One owner-only file per pod holds its address, so that a pod keeps
 * it however often the program dies. The files are not synced: a machine that loses power loses its
 * pods as well.
 *
 * <p>Addresses are handed out in a circle, so that a freed one rests as long as possible before
 * another pod gets it. Owned by the fabric's thread; not safe for others.
 */
final class AddressBook {
  private final Path directory;
  private final Subnet range;
  private final int first;
  private final Map<PodUid, Inet4Address> addresses = new HashMap<>();
  private final BitSet taken = new BitSet();
  private int last;

  private AddressBook(Path directory, Subnet range, int first) {
    this.directory = directory;
    this.range = range;
    this.first = first;
    this.last = first - 1;
  }

  /** Reads what is written; an entry that is torn or of another range belongs to nobody. */
  static AddressBook open(Path directory, Subnet range, int first) throws IOException {
    OwnerFiles.directory(directory);
    var book = new AddressBook(directory, range, first);
    try (var entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        book.load(entry);
      }
    }
    return book;
  }

  Optional<Inet4Address> find(PodUid pod) {
    return Optional.ofNullable(addresses.get(pod));
  }

  List<PodUid> pods() {
    return new ArrayList<>(addresses.keySet());
  }

  /** The pod's address, the same as before if it had one. Written down before it is returned. */
  Inet4Address take(PodUid pod) throws IOException {
    Inet4Address known = addresses.get(pod);
    if (known != null) {
      return known;
    }
    int place = freePlace();
    Inet4Address address = range.at(place);
    OwnerFiles.write(file(pod), address.getHostAddress() + "\n");
    remember(pod, address);
    last = place;
    return address;
  }

  void free(PodUid pod) throws IOException {
    Inet4Address address = addresses.get(pod);
    if (address == null) {
      return;
    }
    Files.deleteIfExists(file(pod));
    addresses.remove(pod);
    taken.clear(range.placeOf(address));
  }

  private void load(Path entry) throws IOException {
    String name = entry.getFileName().toString();
    Optional<Inet4Address> address = OwnerFiles.read(entry).flatMap(AddressBook::address);
    if (OwnerFiles.unfinished(entry) || address.filter(this::free).isEmpty()) {
      Files.deleteIfExists(entry);
      return;
    }
    remember(new PodUid(name), address.get());
    last = Math.max(last, range.placeOf(address.get()));
  }

  private static Optional<Inet4Address> address(String text) {
    try {
      return Optional.of(Inet4Address.ofLiteral(text.strip()));
    } catch (IllegalArgumentException torn) {
      return Optional.empty();
    }
  }

  private boolean free(Inet4Address address) {
    return range.contains(address) && !taken.get(range.placeOf(address));
  }

  private void remember(PodUid pod, Inet4Address address) {
    addresses.put(pod, address);
    taken.set(range.placeOf(address));
  }

  private int freePlace() throws IOException {
    int end = (int) range.size() - 1; // the last one is the broadcast address
    int place = taken.nextClearBit(last + 1);
    if (place >= end) {
      place = taken.nextClearBit(first);
    }
    if (place >= end) {
      throw new IOException(
          "no free pod address in %s (%d pods have one)".formatted(range, addresses.size()));
    }
    return place;
  }

  private Path file(PodUid pod) {
    return directory.resolve(pod.value());
  }
}
