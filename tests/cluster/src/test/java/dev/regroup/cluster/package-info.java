/**
 * Scenarios on a real Kubernetes that the tests build, start on this machine and take away again.
 * Off in the normal build, see {@code docs/testing-on-kubernetes.md}. Start reading at {@link
 * dev.regroup.cluster.RealCluster}.
 */
@NullMarked
package dev.regroup.cluster;

import org.jspecify.annotations.NullMarked;
