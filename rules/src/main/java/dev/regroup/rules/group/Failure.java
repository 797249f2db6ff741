package dev.regroup.rules.group;

/** A sign of failure and the place it comes from. */
public record Failure(SlotId slot, Sign sign) {}
