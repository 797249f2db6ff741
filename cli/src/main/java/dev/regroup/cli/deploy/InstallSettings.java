package dev.regroup.cli.deploy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;

/**
 * What is to be installed, and how long that may take.
 *
 * @param values of the chart that differ from its own
 */
public record InstallSettings(String namespace, ObjectNode values, Duration patience) {

  /** Where nobody says where. */
  public static final String NAMESPACE = Chart.DEFAULT_NAMESPACE;

  Chart chart() {
    return new Chart(namespace, values);
  }
}
