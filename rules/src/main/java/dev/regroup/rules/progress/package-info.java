/**
 * What a program achieved and what restarts cost it: steps read from what it says, the time it
 * stood still, the share of the time that was of use.
 *
 * <p>Everything here is a pure function of times that somebody else observed. What nobody observed
 * is absent, never guessed. Start reading at {@link dev.regroup.rules.progress.RestartCost}.
 */
@NullMarked
package dev.regroup.rules.progress;

import org.jspecify.annotations.NullMarked;
