package dev.regroup.cli.compare;

/** How a group restarts, as JobSet spells it. */
enum Strategy {
  RECREATE("Recreate"),
  IN_PLACE("InPlaceRestart");

  private final String wireName;

  Strategy(String wireName) {
    this.wireName = wireName;
  }

  String wireName() {
    return wireName;
  }
}
