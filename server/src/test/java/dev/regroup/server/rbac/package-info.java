/** Tests of this package. */
@NullMarked
package dev.regroup.server.rbac;

import org.jspecify.annotations.NullMarked;
