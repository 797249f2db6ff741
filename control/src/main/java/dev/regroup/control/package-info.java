/**
 * Controllers: they look at objects through the API, ask {@code rules} what to do, and do it.
 *
 * <p>No decision is made here and nothing that matters is kept only in memory: any controller may
 * be killed at any line and started again. Start reading at {@link
 * dev.regroup.control.Controllers}, then {@code control.jobset.JobSetController}.
 */
@NullMarked
package dev.regroup.control;

import org.jspecify.annotations.NullMarked;
