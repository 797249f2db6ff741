/**
 * What containers see of the machine's files, and root file systems made in advance.
 *
 * <p>Mounts nothing in the host's mount namespace. Start reading at {@link
 * dev.regroup.runtime.embedded.root.RootSource}.
 */
@NullMarked
package dev.regroup.runtime.embedded.root;

import org.jspecify.annotations.NullMarked;
