package dev.regroup.control.jobset;

import dev.regroup.client.ApiFailure;
import dev.regroup.client.Transport;

/**
 * Port to whoever sees to it that agents in pods may speak to the API server: their account exists
 * in a namespace and has its role. Called before a Job is made whose pods use the account.
 */
@FunctionalInterface
public interface AgentAccounts {

  /** Somebody else makes them, or no agent needs any. */
  AgentAccounts ELSEWHERE = _ -> {};

  void ensure(String namespace) throws ApiFailure, Transport.Unreachable, InterruptedException;
}
