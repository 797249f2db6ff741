/** Tests of this package. */
@NullMarked
package dev.regroup.server.nodes;

import org.jspecify.annotations.NullMarked;
