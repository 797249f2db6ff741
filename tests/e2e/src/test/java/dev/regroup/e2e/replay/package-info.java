/**
 * Plays recorded exchanges with a real Kubernetes against our server and compares the answers.
 *
 * <p>A scenario is data: requests, waits and watches with the answer a real server gave. Values a
 * server makes up (uids, times, names, addresses) are normalised on both sides. Start reading at
 * {@link dev.regroup.e2e.replay.Replay}.
 */
@NullMarked
package dev.regroup.e2e.replay;

import org.jspecify.annotations.NullMarked;
