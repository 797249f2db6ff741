/**
 * Control groups of pods and containers: limits, counting, the filter of devices, version 1 and 2.
 *
 * <p>Where nothing can be made, containers run without and it is said. Start reading at {@link
 * dev.regroup.runtime.embedded.cgroup.Cgroups}.
 */
@NullMarked
package dev.regroup.runtime.embedded.cgroup;

import org.jspecify.annotations.NullMarked;
