/** Tests of this package. */
@NullMarked
package dev.regroup.server.resource;

import org.jspecify.annotations.NullMarked;
