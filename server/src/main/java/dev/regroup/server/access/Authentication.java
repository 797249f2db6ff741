package dev.regroup.server.access;

/** What an {@link Authenticator} makes of credentials. */
public sealed interface Authentication {

  /** They prove who asks. */
  record Proven(Identity identity) implements Authentication {}

  /** They claim something and do not prove it: the request ends here. */
  record Disproven() implements Authentication {}

  /** There is nothing this authenticator could judge. */
  record NotMine() implements Authentication {}
}
