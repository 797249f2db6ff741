/**
 * JobSet ({@code jobset.x-k8s.io/v1alpha2}) as records for Jackson, with the fields Regroup adds to
 * its status, and the vocabulary of its labels and annotations.
 *
 * <p>Records are what a reader needs; they hold no unknown fields, so a writer patches the stored
 * tree instead of writing a whole record back. Nothing here decides anything. Start reading at
 * {@link dev.regroup.api.jobset.JobSet}.
 */
@NullMarked
package dev.regroup.api.jobset;

import org.jspecify.annotations.NullMarked;
