package dev.regroup.runtime.linux;

/** The processors whose system call numbers and machine code we know. */
public enum Architecture {
  X86_64,
  ARM64;

  /** The one this program runs on. */
  public static Architecture current() {
    String name = System.getProperty("os.arch", "");
    return switch (name) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64", "arm64" -> ARM64;
      default ->
          throw new UnsupportedOperationException(
              "os.arch: must be amd64 or aarch64, got \"" + name + "\"");
    };
  }
}
