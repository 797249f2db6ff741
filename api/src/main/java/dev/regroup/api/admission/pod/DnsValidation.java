package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Checks of {@code dnsConfig} and {@code hostAliases}: what becomes files in a container. */
final class DnsValidation {

  private static final int MAX_SERVERS = 3;
  private static final int MAX_SEARCHES = 32;
  private static final int MAX_SEARCH_TEXT = 2048;

  private final List<FieldError> errors;

  DnsValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void config(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("dnsConfig");
    JsonNode servers = Trees.at(spec, "dnsConfig", "nameservers");
    if (Trees.text(spec, "dnsPolicy").equals("None")) {
      if (!Trees.has(spec, "dnsConfig")) {
        errors.add(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
        return;
      }
      if (servers.isEmpty()) {
        errors.add(
            required(
                path.field("nameservers"),
                "must provide at least one DNS nameserver when `dnsPolicy` is None"));
        return;
      }
    }
    servers(servers, path.field("nameservers"));
    searches(Trees.at(spec, "dnsConfig", "searches"), path.field("searches"));
    JsonNode settings = Trees.at(spec, "dnsConfig", "options");
    for (int i = 0; i < settings.size(); i++) {
      if (Trees.text(settings.path(i), "name").isEmpty()) {
        errors.add(required(path.field("options").index(i), "must not be empty"));
      }
    }
  }

  private void servers(JsonNode servers, FieldPath path) {
    if (servers.size() > MAX_SERVERS) {
      errors.add(
          invalid(path, servers, "must not have more than %d nameservers".formatted(MAX_SERVERS)));
    }
    for (int i = 0; i < servers.size(); i++) {
      address(servers.path(i).asText(), path.index(i));
    }
  }

  private void searches(JsonNode searches, FieldPath path) {
    if (searches.size() > MAX_SEARCHES) {
      errors.add(
          invalid(
              path, searches, "must not have more than %d search paths".formatted(MAX_SEARCHES)));
    }
    int characters = Math.max(searches.size() - 1, 0);
    for (JsonNode search : searches) {
      characters += search.asText().length();
    }
    if (characters > MAX_SEARCH_TEXT) {
      errors.add(
          invalid(
              path,
              searches,
              "must not have more than %d characters (including spaces) in the search list"
                  .formatted(MAX_SEARCH_TEXT)));
    }
    for (int i = 0; i < searches.size(); i++) {
      String search = searches.path(i).asText();
      if (search.equals(".")) {
        continue;
      }
      String name = search.endsWith(".") ? search.substring(0, search.length() - 1) : search;
      FieldPath at = path.index(i);
      NameRules.searchDomain(name).forEach(problem -> errors.add(invalid(at, name, problem)));
    }
  }

  void hostAliases(JsonNode spec, FieldPath specPath) {
    JsonNode aliases = spec.path("hostAliases");
    for (int i = 0; i < aliases.size(); i++) {
      FieldPath path = specPath.field("hostAliases").index(i);
      address(Trees.text(aliases.path(i), "ip"), path.field("ip"));
      var names = Trees.texts(aliases.path(i), "hostnames");
      for (int j = 0; j < names.size(); j++) {
        String name = names.get(j);
        FieldPath at = path.field("hostnames").index(j);
        NameRules.subdomain(name).forEach(problem -> errors.add(invalid(at, name, problem)));
      }
    }
  }

  private void address(String text, FieldPath path) {
    if (!Addresses.isAddress(text)) {
      errors.add(invalid(path, text, Addresses.problem(text)));
    }
  }
}
