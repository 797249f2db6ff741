/**
 * What happens when a container of a manifest exits: for every class of exit codes that the
 * manifest tells apart, what it means for the pod, its Job and its JobSet, and which field decided.
 *
 * <p>The answers are the plans of {@code dev.regroup.rules}, asked about an imagined pod; nothing
 * is decided here. Nothing here reads files or prints. Start reading at {@link
 * dev.regroup.cli.explain.Explainer}.
 */
@NullMarked
package dev.regroup.cli.explain;

import org.jspecify.annotations.NullMarked;
