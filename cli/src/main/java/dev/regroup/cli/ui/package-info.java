/**
 * The live page: a listener on the loopback address, who may come in, what it shows of a cluster as
 * it changes, and the few things it can ask for.
 *
 * <p>It decides nothing about JobSets and says no figure of its own: reports, status, explanations
 * and restarts are those of the commands. Nothing is watched while nobody looks. Start reading at
 * {@link dev.regroup.cli.ui.LivePage}.
 */
@NullMarked
package dev.regroup.cli.ui;

import org.jspecify.annotations.NullMarked;
