package dev.regroup.node.env;

import java.util.Map;
import java.util.Optional;

/**
 * Port to configuration objects of a namespace. Values are bytes, {@code data} and {@code
 * binaryData} alike. An empty answer means the object does not exist.
 */
public interface Configs {

  Optional<Map<String, byte[]>> configMap(String namespace, String name)
      throws ConfigFailure, InterruptedException;

  Optional<Map<String, byte[]>> secret(String namespace, String name)
      throws ConfigFailure, InterruptedException;

  /** A token that lasts for a while: the last one unless it {@linkplain #isDue is due}. */
  default String token(PodToken token) throws ConfigFailure, InterruptedException {
    throw new ConfigFailure("there are no tokens here");
  }

  /** Whether it is time for another token: there is none yet, or most of its time is over. */
  default boolean isDue(PodToken token) {
    return false;
  }
}
