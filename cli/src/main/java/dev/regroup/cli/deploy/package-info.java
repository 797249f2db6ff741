/**
 * What Regroup puts into a cluster, and how it gets there without Helm. The one source is the chart
 * in {@code deploy/chart}: it travels inside the program, is rendered here, and the plain manifests
 * beside it are its rendering.
 *
 * <p>Start reading at {@link dev.regroup.cli.deploy.Installer}.
 */
@NullMarked
package dev.regroup.cli.deploy;

import org.jspecify.annotations.NullMarked;
