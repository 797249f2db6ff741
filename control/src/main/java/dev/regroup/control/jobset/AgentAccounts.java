package dev.regroup.control.jobset;

import dev.regroup.client.ApiFailure;
import dev.regroup.client.Transport;

/**
 * Port to whoever sees to it that agents in pods may speak to the API server: their account exists
 * in a namespace and has its role. Called before a Job is made whose pods have such an agent.
 */
@FunctionalInterface
public interface AgentAccounts {

  /** Somebody else makes them, or no agent needs any. */
  AgentAccounts ELSEWHERE = (_, _) -> {};

  /**
   * Sees to it.
   *
   * @param account the agents' own, or one that a user gave to pods with an agent (JS-132h)
   */
  void ensure(String namespace, String account)
      throws ApiFailure, Transport.Unreachable, InterruptedException;
}
