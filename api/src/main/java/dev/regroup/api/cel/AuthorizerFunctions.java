package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.regroup.api.cel.CelAuthorizer.Answer;
import dev.regroup.api.cel.CelAuthorizer.Question;
import java.util.List;

/** {@code authorizer}: a question is put together word by word and asked with {@code check}. */
final class AuthorizerFunctions {
  static final CelType AUTHORIZER = type("Authorizer");
  static final CelType RESOURCE_CHECK = type("ResourceCheck");
  private static final CelType PATH_CHECK = type("PathCheck");
  private static final CelType GROUP_CHECK = type("GroupCheck");
  private static final CelType DECISION = type("Decision");

  /** Whose rights are asked for. */
  record AskedRights(CelAuthorizer authorizer, String account) {}

  /** The rights on a path. */
  record AskedPath(CelAuthorizer authorizer, Question question) {}

  /** The rights in a group of the API. */
  record AskedGroup(CelAuthorizer authorizer, Question question) {}

  /** The rights on a resource. */
  record AskedResource(CelAuthorizer authorizer, Question question) {}

  private AuthorizerFunctions() {}

  private static CelType type(String name) {
    return OpaqueType.create("kubernetes.authorization." + name);
  }

  static Object of(CelAuthorizer authorizer) {
    return new AskedRights(authorizer, "");
  }

  static Object of(CelAuthorizer authorizer, Question question) {
    return new AskedResource(authorizer, question);
  }

  static FunctionTable table() {
    var table =
        new FunctionTable()
            .type(AUTHORIZER, AskedRights.class)
            .type(PATH_CHECK, AskedPath.class)
            .type(GROUP_CHECK, AskedGroup.class)
            .type(RESOURCE_CHECK, AskedResource.class)
            .type(DECISION, Answer.class);
    begin(table);
    narrow(table);
    decide(table);
    return table;
  }

  private static void begin(FunctionTable table) {
    table
        .member(
            "serviceAccount",
            "authorizer_serviceaccount",
            AUTHORIZER,
            List.of(AUTHORIZER, STRING, STRING),
            args -> new AskedRights(((AskedRights) args[0]).authorizer(), args[1] + ":" + args[2]))
        .member(
            "path",
            "authorizer_path",
            PATH_CHECK,
            List.of(AUTHORIZER, STRING),
            args -> {
              var asked = (AskedRights) args[0];
              return new AskedPath(
                  asked.authorizer(),
                  new Question(asked.account(), "", (String) args[1], "", "", "", "", ""));
            })
        .member(
            "group",
            "authorizer_group",
            GROUP_CHECK,
            List.of(AUTHORIZER, STRING),
            args -> {
              var asked = (AskedRights) args[0];
              return new AskedGroup(
                  asked.authorizer(),
                  new Question(asked.account(), "", "", (String) args[1], "", "", "", ""));
            });
  }

  private static void narrow(FunctionTable table) {
    table
        .member(
            "resource",
            "groupcheck_resource",
            RESOURCE_CHECK,
            List.of(GROUP_CHECK, STRING),
            args -> {
              var asked = (AskedGroup) args[0];
              return with(asked.authorizer(), asked.question(), (String) args[1], "", "", "");
            })
        .member(
            "subresource",
            "resourcecheck_subresource",
            RESOURCE_CHECK,
            List.of(RESOURCE_CHECK, STRING),
            args -> {
              var q = ((AskedResource) args[0]).question();
              return with(args, q, q.resource(), (String) args[1], q.namespace(), q.name());
            })
        .member(
            "namespace",
            "resourcecheck_namespace",
            RESOURCE_CHECK,
            List.of(RESOURCE_CHECK, STRING),
            args -> {
              var q = ((AskedResource) args[0]).question();
              return with(args, q, q.resource(), q.subresource(), (String) args[1], q.name());
            })
        .member(
            "name",
            "resourcecheck_name",
            RESOURCE_CHECK,
            List.of(RESOURCE_CHECK, STRING),
            args -> {
              var q = ((AskedResource) args[0]).question();
              return with(args, q, q.resource(), q.subresource(), q.namespace(), (String) args[1]);
            });
  }

  private static AskedResource with(
      Object[] args,
      Question question,
      String resource,
      String subresource,
      String namespace,
      String name) {
    var authorizer = ((AskedResource) args[0]).authorizer();
    return with(authorizer, question, resource, subresource, namespace, name);
  }

  private static AskedResource with(
      CelAuthorizer authorizer,
      Question question,
      String resource,
      String subresource,
      String namespace,
      String name) {
    return new AskedResource(
        authorizer,
        new Question(
            question.account(), "", "", question.group(), resource, subresource, namespace, name));
  }

  private static void decide(FunctionTable table) {
    table
        .member(
            "check",
            "pathcheck_check",
            DECISION,
            List.of(PATH_CHECK, STRING),
            args -> {
              var asked = (AskedPath) args[0];
              return ask(asked.authorizer(), asked.question(), (String) args[1]);
            })
        .member(
            "check",
            "resourcecheck_check",
            DECISION,
            List.of(RESOURCE_CHECK, STRING),
            args -> {
              var asked = (AskedResource) args[0];
              return ask(asked.authorizer(), asked.question(), (String) args[1]);
            })
        .member(
            "allowed",
            "decision_allowed",
            BOOL,
            List.of(DECISION),
            args -> ((Answer) args[0]).allowed())
        .member(
            "reason",
            "decision_reason",
            STRING,
            List.of(DECISION),
            args -> ((Answer) args[0]).reason())
        .member("errored", "decision_errored", BOOL, List.of(DECISION), _ -> false)
        .member("error", "decision_error", STRING, List.of(DECISION), _ -> "");
  }

  private static Answer ask(CelAuthorizer authorizer, Question question, String verb) {
    return authorizer.ask(
        new Question(
            question.account(),
            verb,
            question.path(),
            question.group(),
            question.resource(),
            question.subresource(),
            question.namespace(),
            question.name()));
  }
}
