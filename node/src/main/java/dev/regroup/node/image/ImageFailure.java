package dev.regroup.node.image;

/** A container cannot be made because of its image. Starting is tried again later. */
public final class ImageFailure extends Exception {

  /** What the status of the container says, and under which name the event tells it. */
  public enum Reason {
    INVALID_IMAGE_NAME("InvalidImageName", "InspectFailed"),
    ERR_IMAGE_NEVER_PULL("ErrImageNeverPull", "ErrImageNeverPull");

    private final String wireName;
    private final String event;

    Reason(String wireName, String event) {
      this.wireName = wireName;
      this.event = event;
    }

    public String wireName() {
      return wireName;
    }

    public String event() {
      return event;
    }
  }

  private final Reason reason;

  ImageFailure(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
