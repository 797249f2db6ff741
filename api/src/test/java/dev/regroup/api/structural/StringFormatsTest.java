package dev.regroup.api.structural;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Formats of texts: one good and one bad text each. */
class StringFormatsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          date-time      | 2026-01-02T03:04:05Z    | 2026-01-02
          datetime       | 2026-01-02t03:04:05.5+01:00 | 2026-01-02T24:00:00Z
          date           | 2026-02-28              | 2026-02-30
          duration       | 1h30m                   | soon
          duration       | 22 ns                   | 22
          ipv4           | 10.0.0.1                | 10.0.0.256
          ipv6           | 2001:db8::1             | 2001:db8
          cidr           | 10.0.0.0/8              | 10.0.0.0/33
          mac            | 00:1b:44:11:3a:b7       | 00:1b:44
          uuid           | 0f8fad5b-d9cb-469f-a165-70867728950e | 0f8fad5b
          uuid3          | 0f8fad5b-d9cb-369f-a165-70867728950e | 0f8fad5b-d9cb-469f-a165-70867728950e
          uuid4          | 0f8fad5b-d9cb-469f-a165-70867728950e | 0f8fad5b-d9cb-469f-0165-70867728950e
          uuid5          | 0f8fad5b-d9cb-569f-a165-70867728950e | 0f8fad5b-d9cb-469f-a165-70867728950e
          hostname       | a.example.com           | -a
          uri            | https://a.example/b?c   | no uri
          email          | a@example.com           | a.example.com
          byte           | aGk=                    | aGk
          isbn10         | 0321751043              | 0321751044
          isbn13         | 978-0321751041          | 978-0321751042
          creditcard     | 4111 1111 1111 1111     | 4111 1111 1111 1112
          ssn            | 111-11-1111             | 111-11
          hexcolor       | #ffffff                 | #ff
          rgbcolor       | rgb(1,2,255)            | rgb(1,2,256)
          bsonobjectid   | 507f1f77bcf86cd799439011 | 507f
          k8s-short-name | a-b                     | a.b
          k8s-long-name  | a.b                     | A.b
          """)
  void tells_good_texts_from_bad_ones(String format, String good, String bad) {
    assertThat(StringFormats.isKnown("string", format)).isTrue();
    assertThat(StringFormats.fits(good, format)).isTrue();
    assertThat(StringFormats.fits(bad, format)).isFalse();
  }

  @Test
  void formats_belong_to_types() {
    assertThat(StringFormats.isKnown("integer", "int32")).isTrue();
    assertThat(StringFormats.isKnown("integer", "date")).isFalse();
    assertThat(StringFormats.isKnown("number", "double")).isTrue();
    assertThat(StringFormats.isKnown("string", "colour")).isFalse();
    assertThat(StringFormats.isKnown("object", "date")).isFalse();
  }
}
