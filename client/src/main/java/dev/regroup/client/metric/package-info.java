/**
 * Where parts put their figures. Nothing here knows who keeps them: a part names a family and
 * counts, and without a keeper that costs nothing. Start reading at {@link
 * dev.regroup.client.metric.Metrics}.
 */
@NullMarked
package dev.regroup.client.metric;

import org.jspecify.annotations.NullMarked;
