package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.policy.PolicyExpressions;
import dev.regroup.api.policy.PolicyExpressions.Extra;
import dev.regroup.api.tree.Trees;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Configurations of webhooks, mutating and validating. */
final class WebhookRules implements KindRules {

  /** What the webhooks of a configuration may do to an object. */
  enum Power {
    VALIDATES,
    MUTATES
  }

  private static final FieldPath WEBHOOKS = FieldPath.of("webhooks");
  private static final List<String> SIDE_EFFECTS = List.of("None", "NoneOnDryRun");
  private static final List<String> REINVOCATION = List.of("IfNeeded", "Never");
  private static final List<String> VERSIONS = List.of("v1", "v1beta1");
  private static final String FORM = "; desired format: https://host[/path]";

  private final Power power;

  WebhookRules(Power power) {
    this.power = power;
  }

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public void fill(ObjectNode configuration) {
    for (ObjectNode webhook : Trees.objects(configuration, "webhooks")) {
      Trees.fill(webhook, "failurePolicy", "Fail");
      MatchRules.fill(webhook, "rules");
      Trees.fill(webhook, "timeoutSeconds", 10);
      if (power == Power.MUTATES) {
        Trees.fill(webhook, "reinvocationPolicy", "Never");
      }
      Trees.object(webhook, "clientConfig", "service")
          .ifPresent(service -> Trees.fill(service, "port", 443));
    }
  }

  @Override
  public List<FieldError> check(ObjectNode configuration, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    var names = new HashSet<String>();
    var webhooks = Trees.objects(configuration, "webhooks");
    for (int i = 0; i < webhooks.size(); i++) {
      FieldPath path = WEBHOOKS.index(i);
      webhook(webhooks.get(i), path, errors);
      versions(webhooks.get(i), path.field("admissionReviewVersions"), errors);
      String name = Trees.text(webhooks.get(i), "name");
      if (!name.isEmpty() && !names.add(name)) {
        errors.add(duplicate(path.field("name"), name));
      }
    }
    return errors;
  }

  private void webhook(ObjectNode webhook, FieldPath path, List<FieldError> errors) {
    var match = new MatchRules(errors);
    name(Trees.text(webhook, "name"), path.field("name"), errors);
    var rules = Trees.objects(webhook, "rules");
    for (int i = 0; i < rules.size(); i++) {
      match.rule(rules.get(i), path.field("rules").index(i));
    }
    match.oneOf(webhook, "failurePolicy", MatchRules.FAILURE_POLICIES, path);
    match.matchPolicy(webhook, path);
    String effects = Trees.text(webhook, "sideEffects");
    if (effects.isEmpty()) {
      errors.add(
          required(
              path.field("sideEffects"), "must specify one of " + String.join(", ", SIDE_EFFECTS)));
    } else if (!SIDE_EFFECTS.contains(effects)) {
      errors.add(notSupported(path.field("sideEffects"), effects, SIDE_EFFECTS));
    }
    var timeout = Trees.number(webhook, "timeoutSeconds");
    if (timeout.isPresent() && (timeout.getAsLong() < 1 || timeout.getAsLong() > 30)) {
      errors.add(
          invalid(
              path.field("timeoutSeconds"),
              timeout.getAsLong(),
              "the timeout value must be between 1 and 30 seconds"));
    }
    match.selectors(webhook, path);
    if (power == Power.MUTATES) {
      match.oneOf(webhook, "reinvocationPolicy", REINVOCATION, path);
    }
    client(webhook.path("clientConfig"), path.field("clientConfig"), errors);
    match.conditions(
        webhook, path.field("matchConditions"), PolicyExpressions.of(EnumSet.of(Extra.AUTHORIZER)));
  }

  private static void name(String name, FieldPath path, List<FieldError> errors) {
    if (name.isEmpty()) {
      errors.add(required(path, ""));
      return;
    }
    var problems = NameRules.subdomain(name);
    if (!problems.isEmpty()) {
      errors.add(invalid(path, name, String.join(",", problems)));
    } else if (name.split("\\.", -1).length < 3) {
      errors.add(
          invalid(path, name, "should be a domain with at least three segments separated by dots"));
    }
  }

  private static void versions(ObjectNode webhook, FieldPath path, List<FieldError> errors) {
    var versions = Trees.texts(webhook, "admissionReviewVersions");
    var known = String.join(", ", VERSIONS);
    if (versions.isEmpty()) {
      errors.add(required(path, "must specify one of " + known));
      return;
    }
    var seen = new HashSet<String>();
    for (int i = 0; i < versions.size(); i++) {
      String version = versions.get(i);
      FieldPath at = path.index(i);
      if (!seen.add(version)) {
        errors.add(invalid(at, version, "duplicate version"));
        continue;
      }
      NameRules.label1035(version).forEach(problem -> errors.add(invalid(at, version, problem)));
    }
    if (versions.stream().noneMatch(VERSIONS::contains)) {
      errors.add(
          invalid(
              path,
              webhook.path("admissionReviewVersions"),
              "must include at least one of " + known));
    }
  }

  private static void client(JsonNode client, FieldPath path, List<FieldError> errors) {
    boolean url = Trees.has(client, "url");
    if (url == Trees.has(client, "service")) {
      errors.add(required(path, "exactly one of url or service is required"));
    } else if (url) {
      url(Trees.text(client, "url"), path.field("url"), errors);
    } else {
      service(client.path("service"), path.field("service"), errors);
    }
  }

  private static void url(String text, FieldPath path, List<FieldError> errors) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      errors.add(required(path, "url must be a valid URL: " + e.getMessage() + FORM));
      return;
    }
    String scheme = url.getScheme() == null ? "" : url.getScheme();
    if (!scheme.equals("https")) {
      errors.add(invalid(path, scheme, "'https' is the only allowed URL scheme" + FORM));
    }
    if (url.getRawAuthority() == null) {
      errors.add(invalid(path, "", "host must be specified" + FORM));
    }
    if (url.getRawUserInfo() != null) {
      errors.add(
          invalid(path, url.getRawUserInfo(), "user information is not permitted in the URL"));
    }
    if (url.getRawFragment() != null) {
      errors.add(invalid(path, url.getRawFragment(), "fragments are not permitted in the URL"));
    }
    if (url.getRawQuery() != null) {
      errors.add(invalid(path, url.getRawQuery(), "query parameters are not permitted in the URL"));
    }
  }

  private static void service(JsonNode service, FieldPath path, List<FieldError> errors) {
    if (Trees.text(service, "name").isEmpty()) {
      errors.add(required(path.field("name"), ""));
    }
    if (Trees.text(service, "namespace").isEmpty()) {
      errors.add(required(path.field("namespace"), ""));
    }
    long port = Trees.number(service, "port").orElse(443);
    NameRules.portNumber(port)
        .forEach(problem ->
            errors.add(invalid(path.field("port"), port, "port is not valid: " + problem)));
    Trees.textIfPresent(service, "path")
        .filter(text -> !text.isEmpty() && !text.equals("/"))
        .ifPresent(text -> path(text, path.field("path"), errors));
  }

  private static void path(String text, FieldPath at, List<FieldError> errors) {
    if (!text.startsWith("/")) {
      errors.add(invalid(at, text, "must start with a '/'"));
    }
    String rest = text.substring(1); // whatever came first
    String[] steps =
        (rest.endsWith("/") ? rest.substring(0, rest.length() - 1) : rest).split("/", -1);
    for (int i = 0; i < steps.length; i++) {
      String segment = "segment[%d]".formatted(i);
      if (steps[i].isEmpty()) {
        errors.add(invalid(at, text, segment + " may not be empty"));
      } else {
        NameRules.subdomain(steps[i])
            .forEach(problem -> errors.add(invalid(at, text, segment + ": " + problem)));
      }
    }
  }
}
