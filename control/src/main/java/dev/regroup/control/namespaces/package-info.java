/**
 * The life of namespaces: each gets its service account {@code default}, and a deleted one takes
 * everything in it along before it goes. Start reading at {@link
 * dev.regroup.control.namespaces.NamespaceController}.
 */
@NullMarked
package dev.regroup.control.namespaces;

import org.jspecify.annotations.NullMarked;
