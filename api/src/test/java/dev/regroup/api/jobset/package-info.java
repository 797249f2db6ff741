/** Tests through the front door of the package, by rule number. */
@NullMarked
package dev.regroup.api.jobset;

import org.jspecify.annotations.NullMarked;
