/** Tests of this package. */
@NullMarked
package dev.regroup.server.table;

import org.jspecify.annotations.NullMarked;
