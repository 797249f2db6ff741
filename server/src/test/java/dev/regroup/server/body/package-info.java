/** Tests of this package. */
@NullMarked
package dev.regroup.server.body;

import org.jspecify.annotations.NullMarked;
