package dev.regroup.runtime;

/** How much text a terminal shows. */
public record WindowSize(int columns, int rows) {

  private static final int MOST = 0xffff;

  public WindowSize {
    columns = Math.clamp(columns, 0, MOST);
    rows = Math.clamp(rows, 0, MOST);
  }
}
