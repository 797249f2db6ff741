/**
 * Admission webhooks: programs elsewhere that are asked about writes.
 *
 * <p>Start reading at {@link dev.regroup.server.webhook.WebhookLinks}.
 */
@NullMarked
package dev.regroup.server.webhook;

import org.jspecify.annotations.NullMarked;
