package dev.regroup.cli.screen;

import picocli.CommandLine.IVersionProvider;

/** Says the version of the jar. */
public final class ProgramVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"regroup " + number() + ", Java " + Runtime.version()};
  }

  public static String number() {
    String version = ProgramVersion.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
