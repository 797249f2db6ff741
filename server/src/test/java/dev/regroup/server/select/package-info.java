/** Tests of this package. */
@NullMarked
package dev.regroup.server.select;

import org.jspecify.annotations.NullMarked;
