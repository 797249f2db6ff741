/**
 * The local cluster: all parts in one process, wired by hand, and the directory it lives in.
 *
 * <p>Nothing here decides about pods or jobs, or writes to the screen. Start reading at {@link
 * dev.regroup.cli.local.LocalCluster}.
 */
@NullMarked
package dev.regroup.cli.local;

import org.jspecify.annotations.NullMarked;
