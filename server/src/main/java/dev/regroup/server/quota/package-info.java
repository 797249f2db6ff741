/**
 * Quotas in force: the last link before an object is stored.
 *
 * <p>What a quota counts is in {@code api.quota}; the counting itself is work of a controller.
 * Start reading at {@link dev.regroup.server.quota.QuotaLink}.
 */
@NullMarked
package dev.regroup.server.quota;

import org.jspecify.annotations.NullMarked;
