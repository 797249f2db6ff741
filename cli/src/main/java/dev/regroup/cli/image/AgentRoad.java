package dev.regroup.cli.image;

/** How an agent reaches the API server. */
public enum AgentRoad {
  /** By TLS, as on every cluster. */
  NETWORK,
  /** Through a socket of the machine both are on. */
  SOCKET
}
