/**
 * Port to whatever runs containers, read by the node: pods are sandboxes, containers are runs in
 * them, and every fact about them is a record that outlives this program.
 *
 * <p>Nothing here knows Kubernetes objects, decides about restarts or speaks to an API server.
 * Start reading at {@link dev.regroup.runtime.ContainerRuntime}; the implementation for Linux is
 * {@code dev.regroup.runtime.embedded}.
 */
@NullMarked
package dev.regroup.runtime;

import org.jspecify.annotations.NullMarked;
