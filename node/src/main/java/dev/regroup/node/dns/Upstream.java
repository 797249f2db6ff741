package dev.regroup.node.dns;

import java.util.Optional;

/** Port to whoever knows the names that are not the cluster's. */
public interface Upstream {

  /** Nobody knows more than we do. */
  Upstream NOBODY = (query, carrier) -> Optional.empty();

  /**
   * Passes a question on and waits for its answer, within a few seconds.
   *
   * @return an answer with the id of the question, or empty if none came in time
   */
  Optional<byte[]> ask(byte[] query, DnsAnswers.Carrier carrier);
}
