/**
 * JobSets ({@code jobset.x-k8s.io/v1alpha2}) between the wire and {@code rules.jobset}: spec,
 * orders and status read, status written, and the vocabulary of labels and annotations.
 *
 * <p>Pure functions on JSON trees that never throw: what is absent, null, of another type or of a
 * later version is absent. Records hold no unknown fields, so a writer makes a patch of the stored
 * tree. Nothing here checks, defaults or decides. Start reading at {@link
 * dev.regroup.api.jobset.JobSetReader}.
 */
@NullMarked
package dev.regroup.api.jobset;

import org.jspecify.annotations.NullMarked;
