/**
 * Custom kinds: what definitions describe is served as long as they are there.
 *
 * <p>Whether a definition is acceptable is decided before it is stored ({@code
 * api.admission.custom}); here its names are given out, its versions are served, and its objects go
 * before it goes. A server without definitions loads nothing of this but one class. Start reading
 * at {@link CustomKinds}.
 */
@NullMarked
package dev.regroup.server.crd;

import org.jspecify.annotations.NullMarked;
