/** Tests of schemas of custom kinds. */
@NullMarked
package dev.regroup.api.structural;

import org.jspecify.annotations.NullMarked;
