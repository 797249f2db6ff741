package dev.regroup.server.websocket;

import java.io.IOException;

/** A client does not keep to what was agreed: the talk is over, and it is told why. */
public final class BrokenTalk extends IOException {

  static final int PROTOCOL_ERROR = 1002;
  static final int BAD_TEXT = 1007;
  static final int TOO_BIG = 1009;

  private final int code;

  BrokenTalk(int code, String problem) {
    super(problem);
    this.code = code;
  }

  public static BrokenTalk protocol(String problem) {
    return new BrokenTalk(PROTOCOL_ERROR, problem);
  }

  int code() {
    return code;
  }
}
