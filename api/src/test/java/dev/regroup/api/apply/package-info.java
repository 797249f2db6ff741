/** Tests of server-side apply, without a server. */
@NullMarked
package dev.regroup.api.apply;

import org.jspecify.annotations.NullMarked;
