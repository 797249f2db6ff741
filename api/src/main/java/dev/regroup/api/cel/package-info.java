/**
 * The one CEL of the house: expressions of policies, webhooks and custom resources, compiled once
 * and evaluated against JSON trees.
 *
 * <p>The language and its standard functions are the library's; Kubernetes' own functions are here,
 * one table per theme. What Kubernetes has and this has not is unknown to the compiler, so that it
 * is refused when it is stored and never answered wrongly. The classes of the library are loaded
 * with the first environment: nobody makes one before something stored needs it. Start reading at
 * {@link dev.regroup.api.cel.CelEnvironment}.
 */
@NullMarked
package dev.regroup.api.cel;

import org.jspecify.annotations.NullMarked;
