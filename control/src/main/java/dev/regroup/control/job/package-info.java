/**
 * The Job controller: follows Jobs and their pods and does what {@code rules.job} plans.
 *
 * <p>It decides nothing itself and keeps nothing that a fresh list would not give back, except the
 * delay before replacement pods and what it has itself just written. Start reading at {@link
 * dev.regroup.control.job.JobController}.
 */
@NullMarked
package dev.regroup.control.job;

import org.jspecify.annotations.NullMarked;
