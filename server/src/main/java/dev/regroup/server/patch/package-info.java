/**
 * Ways to change an object by a patch: JSON patch, merge patch, strategic merge patch.
 *
 * <p>All work on trees, change nothing they are given and know nothing of storage. Their texts and
 * oddities are those of Kubernetes' server. Start reading at {@link
 * dev.regroup.server.patch.MergePatch}.
 */
@NullMarked
package dev.regroup.server.patch;

import org.jspecify.annotations.NullMarked;
