/** Tests of this package. */
@NullMarked
package dev.regroup.server.patch;

import org.jspecify.annotations.NullMarked;
