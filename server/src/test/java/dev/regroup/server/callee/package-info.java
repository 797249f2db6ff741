/** Tests of this package. */
@NullMarked
package dev.regroup.server.callee;

import org.jspecify.annotations.NullMarked;
