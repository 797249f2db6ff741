/**
 * The wire side of Regroup: how Kubernetes objects are read and written, the feature gates, and the
 * fields that Kubernetes libraries lack.
 *
 * <p>Nothing here starts a thread, opens a socket or reads a clock. Start reading at {@link
 * dev.regroup.api.Wire}; admission is in {@code dev.regroup.api.admission}.
 */
@NullMarked
package dev.regroup.api;

import org.jspecify.annotations.NullMarked;
