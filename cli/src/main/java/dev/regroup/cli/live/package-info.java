/**
 * The view of a run that moves: a picture of its workers, the story of a restart, the logs below.
 *
 * <p>What is shown is a pure function of what is known ({@link dev.regroup.cli.live.Frame}); the
 * rest is a thin driver of the terminal. Nothing a container writes reaches the terminal as a
 * command. Start reading at {@link dev.regroup.cli.live.LiveScreen}.
 */
@NullMarked
package dev.regroup.cli.live;

import org.jspecify.annotations.NullMarked;
