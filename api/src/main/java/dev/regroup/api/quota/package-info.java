/**
 * Quotas of a namespace: what an object uses, which quota counts it, and when there is no more.
 *
 * <p>Pure: the server reserves what a new object uses, the controller counts anew. Start reading at
 * {@link dev.regroup.api.quota.Quota}.
 */
@NullMarked
package dev.regroup.api.quota;

import org.jspecify.annotations.NullMarked;
