/** Tests through the front door of the package. */
@NullMarked
package dev.regroup.api.tree;

import org.jspecify.annotations.NullMarked;
