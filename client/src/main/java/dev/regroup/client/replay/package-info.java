/**
 * What a worker saw when it met a bug, as a file that a test can replay: decisions are pure
 * functions of records, so their arguments on disk are the bug. Start reading at {@link
 * dev.regroup.client.replay.BugFiles}.
 */
@NullMarked
package dev.regroup.client.replay;

import org.jspecify.annotations.NullMarked;
