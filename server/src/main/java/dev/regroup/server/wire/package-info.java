/**
 * What a request says and what an answer looks like: paths, queries, media types, {@code Status}.
 *
 * <p>Texts are Kubernetes' own, letter for letter, because clients match on them. Nothing here
 * knows the store. Start reading at {@link dev.regroup.server.wire.RequestInfo}.
 */
@NullMarked
package dev.regroup.server.wire;

import org.jspecify.annotations.NullMarked;
