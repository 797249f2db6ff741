/**
 * Commands for every day, in kubectl's shape, for machines that have none: apply, get, describe,
 * logs, delete, wait, events, exec.
 *
 * <p>They ask whatever API server the kubeconfig names and show what it answers; nothing here knows
 * what a pod or a JobSet is, but for logs. Start reading at {@link
 * dev.regroup.cli.everyday.GetCommand}; how a word becomes a resource is in {@link
 * dev.regroup.cli.everyday.ServedNames}.
 */
@NullMarked
package dev.regroup.cli.everyday;

import org.jspecify.annotations.NullMarked;
