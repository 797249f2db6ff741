/** Tests of this package. */
@NullMarked
package dev.regroup.server.wire;

import org.jspecify.annotations.NullMarked;
