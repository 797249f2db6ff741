/**
 * Regroup on a cluster that is not its own: the JobSet controller by a leader lease, admission as
 * webhooks with certificates it keeps itself, pages about health, figures for who may see them.
 *
 * <p>Decides nothing about JobSets: {@code control} and {@code api.admission} do, as locally. Start
 * reading at {@link dev.regroup.cli.cluster.ClusterController}.
 */
@NullMarked
package dev.regroup.cli.cluster;

import org.jspecify.annotations.NullMarked;
