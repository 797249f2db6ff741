/**
 * One JobSet or pod of any cluster, for the person at the terminal: where its group stands, and a
 * restart on demand that is waited for.
 *
 * <p>Reads and asks through the API only, so it works on the local cluster and on any other. Start
 * reading at {@link dev.regroup.cli.group.GroupReport}.
 */
@NullMarked
package dev.regroup.cli.group;

import org.jspecify.annotations.NullMarked;
