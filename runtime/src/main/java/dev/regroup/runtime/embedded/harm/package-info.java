/**
 * Containers hurt on purpose, from outside: what a test of a group needs and a node never does.
 *
 * <p>Nothing here is remembered; the runtime sees the consequences as it sees every end. Start
 * reading at {@link dev.regroup.runtime.embedded.harm.ContainerHarm}.
 */
@NullMarked
package dev.regroup.runtime.embedded.harm;

import org.jspecify.annotations.NullMarked;
