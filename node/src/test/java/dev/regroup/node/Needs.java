package dev.regroup.node;

import org.junit.jupiter.api.Assumptions;

/** What tests with real containers need. */
final class Needs {
  private Needs() {}

  static void root() {
    boolean root = "root".equals(System.getProperty("user.name"));
    if (!root) {
      System.out.println("skipped: real containers need root");
    }
    Assumptions.assumeTrue(root, "real containers need root");
  }
}
