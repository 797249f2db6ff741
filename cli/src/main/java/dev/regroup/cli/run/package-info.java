/**
 * What a run tells: changes of objects become lines, restarts get their cause, the end its summary.
 *
 * <p>It reads and says; it changes nothing in the cluster. Start reading at {@link
 * dev.regroup.cli.run.RunFollower}.
 */
@NullMarked
package dev.regroup.cli.run;

import org.jspecify.annotations.NullMarked;
