package dev.regroup.server.select;

/** A selector that cannot be understood; the message is what the client is told. */
public final class SelectorSyntax extends Exception {
  SelectorSyntax(String message) {
    super(message, null, false, false);
  }
}
