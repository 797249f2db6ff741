/**
 * Server-side apply: who manages which fields of an object, and what applying a configuration makes
 * of it. Pure functions of trees and the schema; the time and the name of the manager come from
 * outside.
 *
 * <p>Nothing here judges values or fills in defaults; that is admission. Start reading at {@link
 * dev.regroup.api.apply.FieldManager}.
 */
@NullMarked
package dev.regroup.api.apply;

import org.jspecify.annotations.NullMarked;
