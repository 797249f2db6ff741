/**
 * What a person sees: lines safe for a terminal, errors that say what to do, the log of the parts.
 *
 * <p>Knows nothing of Kubernetes. Start reading at {@link dev.regroup.cli.screen.Screen}.
 */
@NullMarked
package dev.regroup.cli.screen;

import org.jspecify.annotations.NullMarked;
