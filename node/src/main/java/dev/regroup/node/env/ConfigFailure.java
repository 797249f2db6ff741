package dev.regroup.node.env;

/**
 * A container cannot be described: something its spec names is missing or not usable. The text is
 * what the status shows beside {@code CreateContainerConfigError}. Starting is tried again later.
 */
public final class ConfigFailure extends Exception {
  public ConfigFailure(String message) {
    super(message);
  }
}
