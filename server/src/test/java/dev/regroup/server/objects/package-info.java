/** Tests of this package. */
@NullMarked
package dev.regroup.server.objects;

import org.jspecify.annotations.NullMarked;
