/** Tests through the front door of the package, by rule number. */
@NullMarked
package dev.regroup.api.policy;

import org.jspecify.annotations.NullMarked;
