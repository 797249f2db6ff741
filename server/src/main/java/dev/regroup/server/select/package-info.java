/**
 * Label and field selectors: parsed once per request, asked once per object or change.
 *
 * <p>An object is never decoded for a selector: {@link dev.regroup.server.select.Peek} reads only
 * the labels and the few fields a selector needs from the stored bytes. Parsing errors have
 * Kubernetes' texts. Start reading at {@link dev.regroup.server.select.Selection}.
 */
@NullMarked
package dev.regroup.server.select;

import org.jspecify.annotations.NullMarked;
