/**
 * Jobs ({@code batch/v1}) between the wire and {@code rules.job}: spec and status read, status
 * written, a pod as its Job sees it.
 *
 * <p>Pure functions on JSON trees that never throw: what is absent, null, of another type or of a
 * later version is absent. Nothing here checks, defaults or decides. Start reading at {@link
 * dev.regroup.api.job.JobReader}.
 */
@NullMarked
package dev.regroup.api.job;

import org.jspecify.annotations.NullMarked;
