/**
 * Admission: what happens to an object between decoding and storing. Defaults, the additions of
 * Kubernetes' admission plugins, validation, immutability and warnings, with Kubernetes' error
 * kinds, paths and texts. A chain of links, each of one idea; the embedded server calls it, and
 * puts links from outside into their places.
 *
 * <p>Pure: an object, the stored one and a lookup go in; an object, warnings and errors come out.
 * No class here may read a clock, start a thread, touch a file or log. All errors of one object are
 * reported together. Start reading at {@link dev.regroup.api.admission.Admission}.
 */
@NullMarked
package dev.regroup.api.admission;

import org.jspecify.annotations.NullMarked;
