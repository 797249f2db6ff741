package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Request;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/**
 * Policies whose expressions are made of others, put together where they do not belong and spoiled,
 * and the objects they are asked about. {@link #judged} is asked after each.
 */
final class FuzzExpressions {

  private static final String POLICIES =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
  private static final String BINDINGS = POLICIES.replace("policies", "policybindings");
  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> OPERATORS =
      List.of(
          " + ", " - ", " * ", " / ", " % ", " == ", " != ", " < ", " >= ", " && ", " || ", " in ");

  /** Values of every type, to stand anywhere. */
  private static final List<String> VALUES =
      List.of(
          "object",
          "oldObject",
          "request",
          "namespaceObject",
          "authorizer",
          "object.data",
          "object.data.text",
          "object.data.large",
          "object.metadata.name",
          "object.metadata.creationTimestamp",
          "dyn(object).data.nope",
          "request.userInfo.groups",
          "'x'",
          "''",
          "'1Gi'",
          "'10.0.0.1'",
          "'https://h:1/p?q=1#f'",
          "'%s%d%f%e%b%x%X%o%.3f'",
          "'^(a+)+$'",
          "b'\\xff'",
          "0",
          "-1",
          "9223372036854775807",
          "-9223372036854775808",
          "18446744073709551615u",
          "1u",
          "1.5",
          "-0.0",
          "1e308 * 10.0",
          "0.0 / 0.0",
          "null",
          "true",
          "[]",
          "[1, 2, 3]",
          "['a', 'b']",
          "[dyn(1), dyn('a'), dyn([]), dyn(null)]",
          "{}",
          "{'a': 1}",
          "{1: 'a', 2: 'b'}",
          "duration('1h')",
          "duration('-292y')",
          "duration('9223372036s')",
          "timestamp('2026-01-01T00:00:00Z')",
          "timestamp('9999-12-31T23:59:59.999999999Z')",
          "timestamp('0001-01-01T00:00:00Z')",
          "quantity('1Gi')",
          "quantity('1e900000000')",
          "ip('::1')",
          "cidr('10.0.0.0/8')",
          "semver('1.2.3-a+b')",
          "url('https://h:1/p?q=1')",
          "format.dns1123Label()",
          "optional.none()",
          "optional.of('x')",
          "object.?data.?nope",
          "type(1)",
          "int");

  /** What may be done with a value; {@code ~} is another one. */
  private static final List<String> USES =
      List.of(
          "(@)",
          "!(@)",
          "-(@)",
          "(@)[~]",
          "(@)[?~]",
          "(@).x",
          "(@).?x",
          "has((@).x)",
          "(@) ? (~) : (~)",
          "size(@)",
          "(@).size()",
          "string(@)",
          "int(@)",
          "uint(@)",
          "double(@)",
          "bytes(@)",
          "bool(@)",
          "type(@)",
          "dyn(@)",
          "timestamp(@)",
          "duration(@)",
          "quantity(@)",
          "isQuantity(@)",
          "ip(@)",
          "isIP(@)",
          "ip.isCanonical(@)",
          "cidr(@)",
          "isCIDR(@)",
          "semver(@)",
          "semver(@, true)",
          "isSemver(@, ~)",
          "url(@)",
          "isURL(@)",
          "format.named(@)",
          "optional.of(@)",
          "optional.ofNonZeroValue(@)",
          "(@).hasValue()",
          "(@).value()",
          "(@).orValue(~)",
          "(@).or(~)",
          "(@).optMap(v, ~)",
          "(@).all(v, v == ~)",
          "(@).exists(v, v == ~)",
          "(@).exists_one(v, v == ~)",
          "(@).map(v, ~)",
          "(@).map(v, v == ~, ~)",
          "(@).filter(v, v != ~)",
          "(@).all(k, v, k == ~)",
          "(@).transformList(k, v, ~)",
          "(@).transformMap(k, v, ~)",
          "(@).map(a, (~).map(b, (~).map(c, a)))",
          "(@).sum()",
          "(@).min()",
          "(@).max()",
          "(@).isSorted()",
          "(@).indexOf(~)",
          "(@).lastIndexOf(~)",
          "(@).join(~)",
          "(@).join()",
          "(@).split(~)",
          "(@).split(~, ~)",
          "(@).replace(~, ~)",
          "(@).replace(~, ~, ~)",
          "(@).substring(~)",
          "(@).substring(~, ~)",
          "(@).charAt(~)",
          "(@).trim()",
          "(@).lowerAscii()",
          "(@).upperAscii()",
          "(@).matches(~)",
          "(@).contains(~)",
          "(@).startsWith(~)",
          "(@).endsWith(~)",
          "(@).find(~)",
          "(@).findAll(~)",
          "(@).findAll(~, ~)",
          "(@).format([~, ~, ~])",
          "strings.quote(@)",
          "sets.contains(@, ~)",
          "sets.equivalent(@, ~)",
          "sets.intersects(@, ~)",
          "(@).getFullYear()",
          "(@).getHours(~)",
          "(@).getMilliseconds()",
          "(@).add(~)",
          "(@).sub(~)",
          "(@).compareTo(~)",
          "(@).isLessThan(~)",
          "(@).isGreaterThan(~)",
          "(@).asInteger()",
          "(@).asApproximateFloat()",
          "(@).isInteger()",
          "(@).sign()",
          "(@).family()",
          "(@).containsIP(~)",
          "(@).containsCIDR(~)",
          "(@).masked()",
          "(@).prefixLength()",
          "(@).major()",
          "(@).getScheme()",
          "(@).getHost()",
          "(@).getHostname()",
          "(@).getPort()",
          "(@).getEscapedPath()",
          "(@).getQuery()",
          "(@).validate(~)",
          "(@).path(~).check(~).allowed()",
          "(@).group(~).resource(~).subresource(~).namespace(~).name(~).check(~).reason()",
          "(@).serviceAccount(~, ~).path(~).check(~).allowed()");

  private final Random random;
  private final TextMutations texts;

  FuzzExpressions(Random random) {
    this.random = random;
    this.texts = new TextMutations(random);
  }

  /** The binding that makes policies work, and what is asked. Sent once. */
  static List<Request> ground() {
    return List.of(
        json("POST", POLICIES, policy("true", "'m'", "1", "true")),
        json(
            "POST",
            BINDINGS,
            """
            {"metadata":{"name":"fuzzed"},"spec":{"policyName":"fuzzed","validationActions":["Deny"]}}
            """));
  }

  /** The input of this number, the same for the same seed. */
  static Request input(long seed, int number) {
    var random = new Random(seed * 1_000_003 + number);
    var one = new FuzzExpressions(random);
    var validation = random.nextInt(4) == 0 ? "variables.v" : one.wanted("bool");
    return json(
        "PUT",
        POLICIES + "/fuzzed",
        policy(
            validation,
            one.wanted("string"),
            one.value(4),
            random.nextInt(5) == 0 ? one.wanted("bool") : "true"));
  }

  /** An object that the policy is asked about, and that is never stored. */
  static Request judged() {
    return json(
            "POST",
            CONFIG_MAPS,
            "{\"metadata\":{\"name\":\"asked\"},\"data\":{\"text\":\"a,b=c\",\"large\":\"%s\"}}"
                .formatted("ab".repeat(50_000)))
        .withQuery("dryRun=All");
  }

  private static String policy(String validation, String message, String variable, String match) {
    var root = JSON.createObjectNode();
    root.putObject("metadata").put("name", "fuzzed");
    var spec = root.putObject("spec");
    var rule = spec.putObject("matchConstraints").putArray("resourceRules").addObject();
    for (var each :
        List.of(
            List.of("apiGroups", ""),
            List.of("apiVersions", "v1"),
            List.of("operations", "CREATE"),
            List.of("resources", "configmaps"))) {
      rule.putArray(each.getFirst()).add(each.getLast());
    }
    spec.putArray("matchConditions").addObject().put("name", "m").put("expression", match);
    spec.putArray("variables").addObject().put("name", "v").put("expression", variable);
    spec.putArray("validations")
        .addObject()
        .put("expression", validation)
        .put("messageExpression", message);
    try {
      return JSON.writeValueAsString(root);
    } catch (IOException e) {
      throw new IllegalStateException("a tree that cannot be written", e);
    }
  }

  /** Mostly of the type that its place wants: others go no further than the compiler. */
  private String wanted(String type) {
    var text = value(5);
    var right =
        switch (random.nextInt(6)) {
          case 0 -> text;
          case 1 -> texts.of(text);
          default ->
              type.equals("bool") ? "dyn(" + text + ") == " + value(3) : "string(" + text + ")";
        };
    return right.isBlank() ? "true" : right;
  }

  private String value(int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      var value = VALUES.get(random.nextInt(VALUES.size()));
      return random.nextInt(3) == 0 ? "dyn(" + value + ")" : value;
    }
    if (random.nextInt(5) == 0) {
      return value(depth - 1) + OPERATORS.get(random.nextInt(OPERATORS.size())) + value(depth - 1);
    }
    var text = new StringBuilder();
    USES.get(random.nextInt(USES.size()))
        .chars()
        .forEach(c -> text.append(c == '@' || c == '~' ? value(depth - 1) : (char) c));
    return random.nextInt(3) == 0 ? "dyn(" + text + ")" : text.toString();
  }

  private static Request json(String method, String path, String body) {
    return Request.of(method, path, "application/json", body.getBytes(UTF_8));
  }
}
