/**
 * The side that an API server calls: admission as a webhook, and the pages a kubelet asks to learn
 * whether a program is well. What is decided comes from {@code api.admission}; here it is only
 * brought to the wire.
 *
 * <p>Start reading at {@link dev.regroup.server.callee.AdmissionEndpoint}.
 */
@NullMarked
package dev.regroup.server.callee;

import org.jspecify.annotations.NullMarked;
