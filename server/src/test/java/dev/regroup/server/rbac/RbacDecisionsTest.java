package dev.regroup.server.rbac;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.access.Superusers;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import dev.regroup.server.resource.Meta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Every default role and six well-known users against 40,000 answers of Kubernetes 1.36.3. */
class RbacDecisionsTest {

  @Test
  void decides_like_kubernetes() throws IOException {
    var recorded = recorded();
    var book = defaults();
    for (var user : Trees.keys(recorded.path("subjects"))) {
      if (user.startsWith("only-")) {
        book.put(bound(user, user.substring("only-".length())));
      }
    }
    Authorizer authorizer =
        Authorizer.union(List.of(new Superusers(), new RbacAuthorizer(() -> book)));
    var questions = questions(recorded);
    var different = new ArrayList<String>();
    int asked = 0;
    for (var subject : recorded.path("subjects").properties()) {
      var allowed = allowed(subject.getValue());
      var identity = new Identity(subject.getKey(), "", groups(subject.getValue()), Map.of());
      for (var question : questions) {
        boolean may = authorizer.decide(question.by(identity)) instanceof Authorization.Allow;
        if (may != allowed.contains(question.key())) {
          different.add(subject.getKey() + " " + question.key() + " is " + may);
        }
        asked++;
      }
    }

    assertThat(different).isEmpty();
    assertThat(asked).isGreaterThan(40_000);
  }

  @Test
  void says_which_binding_allows_and_which_role_is_missing() {
    var book = new RoleBook();
    book.put(bound("alice", "absent"));
    var authorizer = new RbacAuthorizer(() -> book);
    var wanted = new Question("get", "", "pods", "", "").by(Identity.of("alice"));

    assertThat(authorizer.decide(wanted))
        .isEqualTo(
            new Authorization.NoOpinion(
                "RBAC: clusterrole.rbac.authorization.k8s.io \"absent\" not found"));

    book.put(new RoleKey("", "absent"), PolicyRule.FULL_AUTHORITY);

    assertThat(authorizer.decide(wanted))
        .isEqualTo(
            new Authorization.Allow(
                "RBAC: allowed by ClusterRoleBinding \"alice\" of ClusterRole \"absent\" to User"
                    + " \"alice\""));
  }

  @Test
  void a_binding_of_a_namespace_is_nothing_elsewhere() {
    var book = new RoleBook();
    var binding = binding("bob", "Role", "reader");
    Meta.of(binding).put("namespace", "default");
    var grant = RoleGrant.of(binding);
    book.put(grant);
    book.put(new RoleKey("default", "reader"), PolicyRule.FULL_AUTHORITY);
    var authorizer = new RbacAuthorizer(() -> book);
    var here = new Question("get", "", "pods", "", "").by(Identity.of("bob"));
    var elsewhere =
        new Attributes(Identity.of("bob"), "get", "", "v1", "pods", "", "other", "", "");

    assertThat(authorizer.decide(here)).isInstanceOf(Authorization.Allow.class);
    assertThat(authorizer.decide(elsewhere)).isInstanceOf(Authorization.NoOpinion.class);

    book.remove(grant);

    assertThat(authorizer.decide(here)).isInstanceOf(Authorization.NoOpinion.class);
  }

  /** One thing to do, without who does it. */
  private record Question(
      String verb, String group, String resource, String subresource, String path) {

    Attributes by(Identity identity) {
      return path.isEmpty()
          ? new Attributes(identity, verb, group, "v1", resource, subresource, "default", "", "")
          : Attributes.ofPath(identity, verb, path);
    }

    String key() {
      if (!path.isEmpty()) {
        return path;
      }
      return (group.isEmpty() ? "" : group + "/")
          + resource
          + (subresource.isEmpty() ? "" : "/" + subresource)
          + " "
          + verb;
    }
  }

  private static List<Question> questions(ObjectNode recorded) {
    var questions = new ArrayList<Question>();
    for (var text : Trees.texts(recorded, "resources")) {
      var steps = List.of(text.split("/"));
      boolean grouped = steps.getFirst().contains(".") || steps.getFirst().equals("batch");
      var names = grouped ? steps.subList(1, steps.size()) : steps;
      for (var verb : Trees.texts(recorded, "verbs")) {
        questions.add(
            new Question(
                verb,
                grouped ? steps.getFirst() : "",
                names.getFirst(),
                names.size() > 1 ? names.get(1) : "",
                ""));
      }
    }
    for (var path : Trees.texts(recorded, "paths")) {
      questions.add(new Question("get", "", "", "", path));
    }
    return questions;
  }

  private static HashSet<String> allowed(JsonNode subject) {
    var allowed = new HashSet<>(Trees.texts(subject, "nonResource"));
    for (var resource : subject.path("allowed").properties()) {
      resource.getValue().forEach(verb -> allowed.add(resource.getKey() + " " + verb.asText()));
    }
    return allowed;
  }

  private static List<String> groups(JsonNode subject) {
    return Trees.texts(subject, "groups");
  }

  static RoleBook defaults() {
    var book = new RoleBook();
    for (var object : DefaultRoles.all()) {
      if (object.has("roleRef")) {
        book.put(RoleGrant.of(object));
      } else {
        book.put(
            new RoleKey(Meta.text(object, "namespace"), Meta.name(object)),
            PolicyRule.listOf(object));
      }
    }
    return book;
  }

  private static RoleGrant bound(String user, String role) {
    return RoleGrant.of(binding(user, "ClusterRole", role));
  }

  private static ObjectNode binding(String user, String kind, String role) {
    var binding = Wire.object();
    Meta.of(binding).put("name", user);
    binding.putObject("roleRef").put("kind", kind).put("name", role);
    binding.putArray("subjects").addObject().put("kind", "User").put("name", user);
    return binding;
  }

  private static ObjectNode recorded() throws IOException {
    try (var in =
        Objects.requireNonNull(
            RbacDecisionsTest.class.getResourceAsStream("decisions-1.36.json"))) {
      return Wire.tree(in.readAllBytes());
    }
  }
}
