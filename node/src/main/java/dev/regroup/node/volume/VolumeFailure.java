package dev.regroup.node.volume;

/** A volume cannot be made ready now. The pod waits, the text goes into event FailedMount. */
public final class VolumeFailure extends Exception {
  public VolumeFailure(String volume, String problem) {
    super("MountVolume.SetUp failed for volume \"" + volume + "\" : " + problem);
  }

  public VolumeFailure(String volume, String problem, Throwable cause) {
    super("MountVolume.SetUp failed for volume \"" + volume + "\" : " + problem, cause);
  }
}
