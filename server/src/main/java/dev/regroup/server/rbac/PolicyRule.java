package dev.regroup.server.rbac;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.wire.GoText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One rule of a role: these verbs on these resources, or on these paths. An asterisk stands for
 * all; no names mean every name. Pure.
 *
 * @param resources such as {@code pods}, {@code pods/log}, {@code *}{@code /scale}
 * @param paths of what is no resource; an asterisk at the end stands for whatever follows
 */
public record PolicyRule(
    List<String> verbs,
    List<String> apiGroups,
    List<String> resources,
    List<String> resourceNames,
    List<String> paths) {

  private static final String ALL = "*";

  /** Everything, on resources and on paths. */
  static final List<PolicyRule> FULL_AUTHORITY =
      List.of(
          new PolicyRule(List.of(ALL), List.of(ALL), List.of(ALL), List.of(), List.of()),
          new PolicyRule(List.of(ALL), List.of(), List.of(), List.of(), List.of(ALL)));

  public PolicyRule {
    verbs = List.copyOf(verbs);
    apiGroups = List.copyOf(apiGroups);
    resources = List.copyOf(resources);
    resourceNames = List.copyOf(resourceNames);
    paths = List.copyOf(paths);
  }

  /** The {@code rules} of a role. */
  static List<PolicyRule> listOf(JsonNode role) {
    return Trees.objects(role, "rules").stream().map(PolicyRule::of).toList();
  }

  private static PolicyRule of(JsonNode rule) {
    return new PolicyRule(
        Trees.texts(rule, "verbs"),
        Trees.texts(rule, "apiGroups"),
        Trees.texts(rule, "resources"),
        Trees.texts(rule, "resourceNames"),
        Trees.texts(rule, "nonResourceURLs"));
  }

  /** The part of it that is about resources. */
  public PolicyRule ofResources() {
    return new PolicyRule(verbs, apiGroups, resources, resourceNames, List.of());
  }

  /** The part of it that is about paths. */
  public PolicyRule ofPaths() {
    return new PolicyRule(verbs, List.of(), List.of(), List.of(), paths);
  }

  /** As it stands in a role. */
  public ObjectNode toTree() {
    var rule = Wire.object();
    putIfAny(rule, "verbs", verbs);
    putIfAny(rule, "apiGroups", apiGroups);
    putIfAny(rule, "resources", resources);
    putIfAny(rule, "resourceNames", resourceNames);
    putIfAny(rule, "nonResourceURLs", paths);
    return rule;
  }

  private static void putIfAny(ObjectNode rule, String field, List<String> values) {
    if (!values.isEmpty()) {
      values.forEach(rule.putArray(field)::add);
    }
  }

  boolean allows(Attributes wanted) {
    if (!has(verbs, wanted.verb())) {
      return false;
    }
    return wanted.isResource()
        ? has(apiGroups, wanted.group())
            && allowsResource(wanted.resource(), wanted.subresource())
            && (resourceNames.isEmpty() || resourceNames.contains(wanted.name()))
        : allowsPath(wanted.path());
  }

  private static boolean has(List<String> allowed, String wanted) {
    for (var one : allowed) {
      if (one.equals(ALL) || one.equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  private boolean allowsResource(String resource, String part) {
    for (var one : resources) {
      if (one.equals(ALL) || matches(one, resource, part)) {
        return true;
      }
    }
    return false;
  }

  /** Compares without putting the two texts together: every request comes here. */
  private static boolean matches(String allowed, String resource, String part) {
    if (part.isEmpty()) {
      return allowed.equals(resource);
    }
    int slash = allowed.length() - part.length() - 1;
    if (slash < 1 || allowed.charAt(slash) != '/' || !allowed.endsWith(part)) {
      return false;
    }
    boolean anyResource = slash == 1 && allowed.charAt(0) == '*';
    return anyResource || (slash == resource.length() && allowed.startsWith(resource));
  }

  private boolean allowsPath(String wanted) {
    for (var path : paths) {
      if (path.equals(ALL) || path.equals(wanted) || isPrefix(path, wanted)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPrefix(String path, String wanted) {
    if (!path.endsWith(ALL)) {
      return false;
    }
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '*') {
      end--;
    }
    return wanted.startsWith(path.substring(0, end));
  }

  /** The same as rules for one verb on one thing each. */
  List<PolicyRule> atoms() {
    var atoms = new ArrayList<PolicyRule>();
    for (var group : apiGroups) {
      for (var resource : resources) {
        for (var verb : verbs) {
          if (resourceNames.isEmpty()) {
            atoms.add(ofResource(verb, group, resource, List.of()));
          }
          for (var name : resourceNames) {
            atoms.add(ofResource(verb, group, resource, List.of(name)));
          }
        }
      }
    }
    for (var path : paths) {
      for (var verb : verbs) {
        atoms.add(new PolicyRule(List.of(verb), List.of(), List.of(), List.of(), List.of(path)));
      }
    }
    return atoms;
  }

  private static PolicyRule ofResource(
      String verb, String group, String resource, List<String> names) {
    return new PolicyRule(List.of(verb), List.of(group), List.of(resource), names, List.of());
  }

  /** Whether this rule grants all of what an {@linkplain #atoms atom} grants. */
  boolean covers(PolicyRule atom) {
    return hasAll(verbs, atom.verbs)
        && hasAll(apiGroups, atom.apiGroups)
        && atom.resources.stream().allMatch(this::coversResource)
        && (resourceNames.isEmpty()
            || (!atom.resourceNames.isEmpty() && resourceNames.containsAll(atom.resourceNames)))
        && atom.paths.stream().allMatch(this::allowsPath);
  }

  private static boolean hasAll(List<String> allowed, List<String> wanted) {
    return allowed.contains(ALL) || allowed.containsAll(wanted);
  }

  private boolean coversResource(String wanted) {
    int slash = wanted.indexOf('/');
    return resources.contains(ALL)
        || resources.contains(wanted)
        || (slash >= 0 && resources.contains(ALL + wanted.substring(slash)));
  }

  /** The same rule for these verbs. */
  PolicyRule withVerbs(List<String> others) {
    return new PolicyRule(others, apiGroups, resources, resourceNames, paths);
  }

  /** The rule as Kubernetes prints it for people. */
  String text() {
    var parts = new ArrayList<String>();
    add(parts, "APIGroups", apiGroups);
    add(parts, "Resources", resources);
    add(parts, "NonResourceURLs", paths);
    add(parts, "ResourceNames", resourceNames);
    add(parts, "Verbs", verbs);
    return "{" + String.join(", ", parts) + "}";
  }

  private static void add(List<String> parts, String name, List<String> values) {
    if (!values.isEmpty()) {
      parts.add(name + ":" + quoted(values));
    }
  }

  /** {@code %q} of a list. */
  static String quoted(List<String> values) {
    return values.stream().map(GoText::quote).collect(Collectors.joining(" ", "[", "]"));
  }
}
