package dev.regroup.server.access;

/** What an {@link Authorizer} says. The reason is for the one who is refused; it may be empty. */
public sealed interface Authorization {

  String reason();

  /** They may; nobody else is asked. */
  record Allow(String reason) implements Authorization {}

  /** They may not, whatever others would say. */
  record Deny(String reason) implements Authorization {}

  /** Nothing speaks for it here; perhaps elsewhere. */
  record NoOpinion(String reason) implements Authorization {}
}
