/**
 * The controllers of Jobs and JobSets in virtual time: the product's plans, readers, counters and
 * memories behind feeds that lag, with every write a step of its own and death between any two.
 *
 * <p>What is here only carries out; nothing is decided. Start reading at {@link
 * dev.regroup.sim.control.SimJobSets}.
 */
@NullMarked
package dev.regroup.sim.control;

import org.jspecify.annotations.NullMarked;
