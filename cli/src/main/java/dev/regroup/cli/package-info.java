/**
 * The commands, and the one place where the parts are wired together.
 *
 * <p>Results go to standard output, progress to standard error. An error of the user's making is
 * one line that says what to do. Nothing here decides about pods or jobs. Start reading at {@link
 * dev.regroup.cli.Main}, then {@link dev.regroup.cli.local.LocalCluster}.
 */
@NullMarked
package dev.regroup.cli;

import org.jspecify.annotations.NullMarked;
