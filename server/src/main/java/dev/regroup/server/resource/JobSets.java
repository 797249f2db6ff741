package dev.regroup.server.resource;

/** Whether JobSet is one of the built-in kinds, or is left to a definition and its controller. */
public enum JobSets {
  BUILT_IN,
  LEFT_OUT
}
