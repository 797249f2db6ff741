package dev.regroup.server.talk;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The ways of talking with a command: each message begins with the number of its channel. */
public enum ChannelProtocol {
  /** Either side can end a channel with a message of its own. */
  V5("v5.channel.k8s.io"),
  /** How it ended is told as a {@code Status}. */
  V4("v4.channel.k8s.io"),
  /** How it ended is told as a text, and only if it failed. */
  V1("channel.k8s.io");

  static final byte STDIN = 0;
  static final byte STDOUT = 1;
  static final byte STDERR = 2;
  static final byte ERROR = 3;
  static final byte RESIZE = 4;
  static final byte CLOSE = (byte) 255;

  private final String wireName;

  ChannelProtocol(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  public static List<String> names() {
    return Arrays.stream(values()).map(ChannelProtocol::wireName).toList();
  }

  public static Optional<ChannelProtocol> named(String name) {
    return Arrays.stream(values()).filter(one -> one.wireName.equals(name)).findFirst();
  }
}
