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
}
