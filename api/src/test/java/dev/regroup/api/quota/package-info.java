/** Tests through the front door of the package, by rule number. */
@NullMarked
package dev.regroup.api.quota;

import org.jspecify.annotations.NullMarked;
