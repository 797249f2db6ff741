package dev.regroup.api.yaml;

/** A place in a text, both counted from 1. */
public record Position(int line, int column) {

  @Override
  public String toString() {
    return line + ":" + column;
  }
}
