package dev.regroup.node.env;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A token that a pod asks for in one of its volumes.
 *
 * @param account the service account of the pod
 * @param audience for whom it is; null for the API server
 */
public record PodToken(
    String namespace,
    String account,
    String pod,
    String podUid,
    @Nullable String audience,
    Duration lasting) {}
