/** Tests of this package. */
@NullMarked
package dev.regroup.server.write;

import org.jspecify.annotations.NullMarked;
