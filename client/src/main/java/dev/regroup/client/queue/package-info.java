/**
 * Keys to look at: each by one worker at a time, merged, delayed and tried again.
 *
 * <p>Knows keys, not what they name. Start reading at {@link dev.regroup.client.queue.WorkQueue}.
 */
@NullMarked
package dev.regroup.client.queue;

import org.jspecify.annotations.NullMarked;
