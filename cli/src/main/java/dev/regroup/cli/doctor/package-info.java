/**
 * What this machine can do for Regroup and what it lacks. Start reading at {@link
 * dev.regroup.cli.doctor.Diagnoses}: facts in, advice out; {@link
 * dev.regroup.cli.doctor.MachineLook} finds the facts.
 */
@NullMarked
package dev.regroup.cli.doctor;

import org.jspecify.annotations.NullMarked;
