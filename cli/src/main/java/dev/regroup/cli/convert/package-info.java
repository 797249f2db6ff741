/**
 * Brings a manifest into the form that any Kubernetes understands: released spellings in place of
 * drafts, and what has no released form in one annotation (node.md ACT-14).
 *
 * <p>Whether a rule can go without changing anything is asked of {@code dev.regroup.rules} for
 * every exit there can be. Nothing here reads files or prints. Start reading at {@link
 * dev.regroup.cli.convert.Converter}.
 */
@NullMarked
package dev.regroup.cli.convert;

import org.jspecify.annotations.NullMarked;
