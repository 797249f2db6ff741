/**
 * What the programs of pods show of themselves: when they wrote something, and which step they
 * tell, in their output or in a file.
 *
 * <p>Told by the runtime and the kernel, never asked in turns; what a chatty program costs is
 * bounded. Start reading at {@link dev.regroup.node.progress.ProgramWatch}.
 */
@NullMarked
package dev.regroup.node.progress;

import org.jspecify.annotations.NullMarked;
