package dev.regroup.api.yaml;

/** A text that is not the YAML it should be, with the place where that shows. */
public final class YamlFailure extends Exception {
  private final Position position;

  YamlFailure(Position position, String problem) {
    super(problem);
    this.position = position;
  }

  public Position position() {
    return position;
  }

  /** What is wrong, without the place. */
  public String problem() {
    return String.valueOf(getMessage());
  }
}
