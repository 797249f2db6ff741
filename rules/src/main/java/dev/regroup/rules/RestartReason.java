package dev.regroup.rules;

/** Why all containers of a pod restart: the vocabulary of conditions, events and the timeline. */
public enum RestartReason {
  CONTAINER_EXITED("ContainerExited"),
  GROUP_RESTART("GroupRestart"),
  REQUESTED("Requested");

  private final String wireName;

  RestartReason(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }
}
