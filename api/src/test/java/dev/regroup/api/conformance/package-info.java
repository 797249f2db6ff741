/**
 * Replays what a real Kubernetes 1.36.3 and a real JobSet webhook answered, without a server. The
 * recordings are data; {@link dev.regroup.api.conformance.RecordingsTest} is the one to read.
 */
@NullMarked
package dev.regroup.api.conformance;

import org.jspecify.annotations.NullMarked;
