/**
 * Sandboxes: the process that holds a pod's namespaces, made, found again and ended.
 *
 * <p>A sandbox is adopted only whole. Start reading at {@link
 * dev.regroup.runtime.embedded.sandbox.Sandboxes}.
 */
@NullMarked
package dev.regroup.runtime.embedded.sandbox;

import org.jspecify.annotations.NullMarked;
