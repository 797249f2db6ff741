/**
 * The files of pods and runs: where they lie and what is written in them.
 *
 * <p>Starts no process. Start reading at {@link dev.regroup.runtime.embedded.files.Layout}.
 */
@NullMarked
package dev.regroup.runtime.embedded.files;

import org.jspecify.annotations.NullMarked;
