package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.policy.MatchCriteria;
import dev.regroup.api.policy.PolicyExpressions;
import dev.regroup.api.policy.PolicyExpressions.Extra;
import dev.regroup.api.tree.Trees;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * One webhook of a stored configuration.
 *
 * @param conditions compiled when they are first needed
 */
record Webhook(
    String name,
    MatchCriteria match,
    WebhookClient client,
    Duration timeout,
    boolean failsClosed,
    boolean again,
    String version,
    WebhookConditions conditions) {

  /** The webhooks of a configuration, in its order. */
  static List<Webhook> listOf(ObjectNode configuration) {
    var webhooks = new ArrayList<Webhook>();
    for (ObjectNode webhook : Trees.objects(configuration, "webhooks")) {
      webhooks.add(
          new Webhook(
              Trees.text(webhook, "name"),
              MatchCriteria.ofWebhook(webhook),
              WebhookClient.of(webhook.path("clientConfig")),
              Duration.ofSeconds(Trees.number(webhook, "timeoutSeconds").orElse(10)),
              !Trees.text(webhook, "failurePolicy").equals("Ignore"),
              Trees.text(webhook, "reinvocationPolicy").equals("IfNeeded"),
              Trees.texts(webhook, "admissionReviewVersions").stream()
                  .filter(List.of("v1", "v1beta1")::contains)
                  .findFirst()
                  .orElse("v1"),
              conditions(webhook)));
    }
    return webhooks;
  }

  private static WebhookConditions conditions(ObjectNode webhook) {
    var texts =
        Trees.objects(webhook, "matchConditions").stream()
            .map(condition -> Trees.text(condition, "expression"))
            .toList();
    if (texts.isEmpty()) {
      return WebhookConditions.NONE;
    }
    var expressions = PolicyExpressions.of(EnumSet.of(Extra.AUTHORIZER));
    var compiled = new ArrayList<CelCompiled>();
    texts.forEach(text -> compiled.add(expressions.condition(text)));
    return new WebhookConditions(texts, compiled, expressions::values);
  }
}
