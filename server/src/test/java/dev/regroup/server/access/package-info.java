/** Tests of this package. */
@NullMarked
package dev.regroup.server.access;

import org.jspecify.annotations.NullMarked;
