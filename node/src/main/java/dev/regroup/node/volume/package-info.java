/**
 * The volumes of a pod: laid out once before its sandbox starts, kept through every restart of its
 * containers, removed with the pod.
 *
 * <p>Nothing here mounts anything: a volume is a directory of the host or a name the sandbox
 * resolves (memory), and the runtime binds it inside the container. A path that comes from a
 * manifest never leaves its root. Start reading at {@link Volumes}.
 */
@NullMarked
package dev.regroup.node.volume;

import org.jspecify.annotations.NullMarked;
