/**
 * What the node tells the API server: pod statuses, and that it is alive.
 *
 * <p>Nobody waits for anything here: callers hand over the newest state and go on; one virtual
 * thread per pod sends it. When the API server cannot be reached only the latest state is kept.
 * Start reading at {@link StatusReporter}.
 */
@NullMarked
package dev.regroup.node.report;

import org.jspecify.annotations.NullMarked;
