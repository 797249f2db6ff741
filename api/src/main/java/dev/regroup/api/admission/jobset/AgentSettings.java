package dev.regroup.api.admission.jobset;

/**
 * Which agent a JobSet gets that names none, and where the program of an agent is found.
 *
 * @param defaultKind {@link AgentInjection#NODE} on Regroup's own nodes, {@link
 *     AgentInjection#SIDECAR} on other clusters (JS-132b)
 * @param image what the agent's containers run
 * @param command the agent's program inside that image
 */
public record AgentSettings(String defaultKind, String image, String command) {

  /** The agent's image, as {@code regroup image agent} names it. */
  public static final String IMAGE = "regroup.dev/in-place-restart-agent:v1";

  /** The agent's program in its image. */
  public static final String COMMAND = "/in-place-restart-agent";

  public static final AgentSettings LOCAL = new AgentSettings(AgentInjection.NODE, IMAGE, COMMAND);

  public static final AgentSettings CLUSTER =
      new AgentSettings(AgentInjection.SIDECAR, IMAGE, COMMAND);

  /** The same with the image a user names in the annotation. */
  AgentSettings withImageOf(String choice) {
    return AgentInjection.namesImage(choice)
        ? new AgentSettings(defaultKind, choice, command)
        : this;
  }
}
