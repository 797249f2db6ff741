package dev.regroup.runtime.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.PodUid;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddressBookTest {
  private static final Subnet RANGE = Subnet.parse("10.213.32.0/28"); // 16 addresses, 12 for pods
  private static final PodUid ONE = new PodUid("one");
  private static final PodUid TWO = new PodUid("two");

  @TempDir Path directory;

  @Test
  void a_pod_keeps_its_address_when_the_book_is_opened_again() throws IOException {
    Inet4Address first = open().take(ONE);

    var again = open();

    assertThat(again.find(ONE)).contains(first);
    assertThat(again.take(ONE)).isEqualTo(first);
    assertThat(again.take(TWO)).isNotEqualTo(first);
    assertThat(again.pods()).containsExactlyInAnyOrder(ONE, TWO);
  }

  @Test
  void entries_are_readable_by_their_owner_only() throws IOException {
    open().take(ONE);

    assertThat(Files.getPosixFilePermissions(directory.resolve("book/one")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(directory.resolve("book")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void every_address_is_given_once_and_the_end_is_said_clearly() throws IOException {
    var book = open();
    var given = new HashSet<Inet4Address>();
    for (int i = 0; i < 12; i++) {
      given.add(book.take(new PodUid("pod-" + i)));
    }

    assertThat(given).hasSize(12).allMatch(RANGE::contains);
    assertThatThrownBy(() -> book.take(ONE))
        .hasMessage("no free pod address in 10.213.32.0/28 (12 pods have one)");
    book.free(new PodUid("pod-5"));
    assertThat(book.take(ONE).getHostAddress()).isEqualTo("10.213.32.8");
  }

  @Test
  void a_freed_address_rests_before_it_is_given_again() throws IOException {
    var book = open();
    Inet4Address first = book.take(ONE);
    book.free(ONE);

    for (int i = 0; i < 11; i++) {
      assertThat(book.take(new PodUid("pod-" + i))).isNotEqualTo(first);
    }

    assertThat(book.take(TWO)).isEqualTo(first);
  }

  @Test
  void what_a_crash_left_half_written_belongs_to_nobody() throws IOException {
    Inet4Address first = open().take(ONE);
    Path book = directory.resolve("book");
    Files.writeString(book.resolve(".new123"), first.getHostAddress());
    Files.writeString(book.resolve("torn"), "10.21");
    Files.writeString(book.resolve("empty"), "");
    Files.writeString(book.resolve("elsewhere"), "10.99.0.4");

    var again = open();

    assertThat(again.pods()).containsExactly(ONE);
    assertThat(book.toFile().list()).containsExactly("one");
  }

  private AddressBook open() throws IOException {
    return AddressBook.open(directory.resolve("book"), RANGE, 3);
  }
}
