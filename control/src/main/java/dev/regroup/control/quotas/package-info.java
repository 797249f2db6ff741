/**
 * Keeps the status of quotas: what is enforced and how much of it is used.
 *
 * <p>Start reading at {@link dev.regroup.control.quotas.QuotaController}.
 */
@NullMarked
package dev.regroup.control.quotas;

import org.jspecify.annotations.NullMarked;
