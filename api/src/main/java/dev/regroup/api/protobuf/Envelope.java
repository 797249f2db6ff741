package dev.regroup.api.protobuf;

import dev.regroup.api.schema.Undecodable;
import java.util.Arrays;

/**
 * What every protobuf body begins with: four bytes nothing else begins with, the kind, and the
 * message itself.
 *
 * @param apiVersion empty when the sender does not say it
 * @param kind empty when the sender does not say it
 */
record Envelope(String apiVersion, String kind, WireReader message) {

  private static final byte[] MAGIC = {'k', '8', 's', 0};

  private static final int TYPE = 1;
  private static final int RAW = 2;
  private static final int ENCODING = 3;
  private static final int CONTENT_TYPE = 4;

  static boolean begins(byte[] body) {
    return Arrays.equals(body, 0, Math.min(body.length, MAGIC.length), MAGIC, 0, MAGIC.length);
  }

  static Envelope open(byte[] body) throws Undecodable {
    if (body.length == 0) {
      throw new Undecodable("empty data");
    }
    if (!begins(body)) {
      throw new Undecodable(
          "provided data does not appear to be a protobuf message, expected prefix "
              + "[107 56 115 0]");
    }
    if (body.length == MAGIC.length) {
      throw new Undecodable("empty body");
    }
    var in = new WireReader(body, MAGIC.length, body.length);
    var apiVersion = "";
    var kind = "";
    var message = WireReader.nothing();
    while (in.more()) {
      long tag = in.varint();
      if (tag == tag(RAW)) {
        message = in.message();
      } else if (tag == tag(TYPE)) {
        for (WireReader type = in.message(); type.more(); ) {
          long part = type.varint();
          if (part == tag(1)) {
            apiVersion = type.text();
          } else if (part == tag(2)) {
            kind = type.text();
          } else {
            type.skip(part);
          }
        }
      } else {
        in.skip(tag);
      }
    }
    return new Envelope(apiVersion, kind, message);
  }

  /** Writes an envelope around what {@code message} writes. */
  static void write(WireWriter out, String apiVersion, String kind, Runnable message) {
    out.text(CONTENT_TYPE, "");
    out.text(ENCODING, "");
    int before = out.size();
    message.run();
    out.message(RAW, before);
    before = out.size();
    out.text(2, kind);
    out.text(1, apiVersion);
    out.message(TYPE, before);
    out.raw(MAGIC);
  }

  private static long tag(int number) {
    return (long) number << 3 | ValueType.LENGTH;
  }
}
