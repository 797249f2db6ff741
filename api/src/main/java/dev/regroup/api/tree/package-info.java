/**
 * Reading and filling JSON trees of objects.
 *
 * <p>Knows no schema and no kind; what is absent or of another type is absent. Start reading at
 * {@link dev.regroup.api.tree.Trees}.
 */
@NullMarked
package dev.regroup.api.tree;

import org.jspecify.annotations.NullMarked;
