package dev.regroup.rules.group;

/** Mistakes somebody could make in a controller, an agent or a watch. The worlds must find each. */
enum Bug {
  NONE,

  // the controller
  LIFTS_ONE_EARLY,
  LIFTS_TO_THE_HIGHEST,
  COUNTS_DYING_PODS,
  NEVER_TELLS_ANYBODY,
  FORGETS_THE_BUDGET,
  COUNTS_EVERY_LOOK,
  RESTARTS_FOR_NOTHING,
  OVERWRITES_NEWER_STATUS,
  HEARS_NO_FAILURE,
  KEEPS_ITS_STATE_IN_MEMORY,

  // the agents
  AGENT_TAKES_THE_RUNNING_ATTEMPT,
  AGENT_DOES_NOT_WAIT,
  AGENT_IGNORES_ORDERS,
  REPLACEMENT_BEGINS_AT_ZERO,

  // the watches
  BELIEVES_OLD_NEWS,
  NEVER_LISTS_AGAIN
}
