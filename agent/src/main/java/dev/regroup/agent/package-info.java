/**
 * The program inside a pod that takes part in group restarts (jobset.md 7.4, 7.5): it reports the
 * pod's attempt, holds the worker at the barrier and restarts it with the group. One program, three
 * bodies: a sidecar, a container's entry point, the parent of a worker that it restarts itself.
 *
 * <p>What it does next is decided by {@link dev.regroup.rules.group.AgentMind}. Nothing but the JDK
 * and no logger: every pod starts one, and a group waits for the slowest. Start reading at {@link
 * dev.regroup.agent.AgentLoop}.
 */
@NullMarked
package dev.regroup.agent;

import org.jspecify.annotations.NullMarked;
