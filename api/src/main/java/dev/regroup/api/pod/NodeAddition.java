package dev.regroup.api.pod;

import java.time.Instant;

/**
 * What the node adds to a status that no decision needs.
 *
 * @param podIp empty while the pod has none
 * @param startTime when the node accepted the pod
 */
public record NodeAddition(String hostIp, String podIp, Instant startTime) {}
