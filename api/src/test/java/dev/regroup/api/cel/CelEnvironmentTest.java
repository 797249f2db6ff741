package dev.regroup.api.cel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.cel.CelEnvironment.Result;
import dev.regroup.api.cel.CelShape.Plain;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CelEnvironmentTest {

  private static final CelEnvironment DYNAMIC =
      CelEnvironment.of(
          Map.of(
              "object", Plain.DYN,
              "authorizer", Plain.AUTHORIZER,
              "authorizer.requestResource", Plain.RESOURCE_CHECK));

  private static final String POD =
      """
      {"metadata": {"name": "a", "labels": {"app": "x"}, "annotations": {"n": "1"}},
       "spec": {"count": 3, "ratio": 1.5, "none": null, "names": ["a", "b", "c"],
                "numbers": [3, 1, 2], "big": 18446744073709551615}}
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "object.metadata.name == 'a'",
        "object.metadata.labels == {'app': 'x'}",
        "object.spec.names == ['a', 'b', 'c']",
        "has(object.spec.count) && !has(object.spec.nope)",
        "object.spec.none == null",
        "object.spec.count == 3.0",
        "object.spec.count < 3.5",
        "object.spec.big > 1u",
        "object.spec.names.all(n, n.matches('^[a-c]$'))",
        "object.spec.names.exists_one(n, n == 'a')",
        "object.spec.names.map(n, n + 'x').join('-') == 'ax-bx-cx'",
        "object.?spec.?nope.orValue('d') == 'd'",
        "object.spec[?'count'].hasValue()",
        "object.metadata.labels.all(k, v, k == 'app' && v == 'x')",
        "object.metadata.labels.transformMap(k, v, v + '!') == {'app': 'x!'}",
        "object.spec.numbers.sum() == 6",
        "object.spec.numbers.min() == 1 && object.spec.numbers.max() == 3",
        "!object.spec.numbers.isSorted() && [1, 2].isSorted()",
        "object.spec.names.indexOf('b') == 1 && [1, 2, 1].lastIndexOf(1) == 2",
        "sets.contains([1, 2, 3], [1]) && sets.equivalent([1, 2], [2, 1])",
        "'a1b22'.find('[0-9]+') == '1' && 'a1b22'.findAll('[0-9]+') == ['1', '22']",
        "'a1b22c3'.findAll('[0-9]+', 2).size() == 2",
        "'abc'.replace('', 'x') == 'xaxbxcx' && 'aaa'.replace('a', 'b', 2) == 'bba'",
        "'%s is %d of %.2f, %x, %s'.format(['a', 1, 1.5, 255, [1, 2]]) == 'a is 1 of 1.50, ff, [1,"
            + " 2]'",
        "'A b'.lowerAscii() == 'a b' && ' x '.trim() == 'x' && 'a,b'.split(',').size() == 2",
        "url('https://example.com:80/a%20b?x=1&x=2').getHost() == 'example.com:80'",
        "url('https://[::1]:80/').getHostname() == '::1'",
        "url('https://e.com/?x=1&x=2').getQuery()['x'] == ['1', '2'] && !isURL('../a')",
        "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('10.0.0.256')",
        "string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
        "ip.isCanonical('::1') && !ip.isCanonical('::0001')",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') &&"
            + " cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !isCIDR('10.0.0.0/33')",
        "string(cidr('192.168.1.5/24').masked()) == '192.168.1.0/24'",
        "cidr('192.168.1.5/24').prefixLength() == 24",
        "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1000m') == quantity('1')",
        "quantity('1').add(quantity('500m')).compareTo(quantity('1.5')) == 0",
        "quantity('3').sub(1).asInteger() == 2 && !quantity('500m').isInteger()",
        "quantity('-1').sign() == -1 && isQuantity('1Ki') && !isQuantity('x')",
        "semver('1.2.3').isLessThan(semver('1.10.0')) &&"
            + " semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))",
        "isSemver('v1.2', true) && !isSemver('v1.2') && semver('v01.2', true).minor() == 2",
        "format.dns1123Label().validate('a-b') == optional.none()",
        "format.named('dns1123Label').value().validate('A').hasValue()",
        "!format.named('nope').hasValue()",
        "timestamp('2026-01-01T00:00:00Z') < timestamp('2026-01-02T00:00:00Z')",
        "duration('1h30m') == duration('90m')",
        "type(object.spec.count) == int && type(object.spec.ratio) == double",
        "authorizer.group('').resource('pods').namespace('a').check('get').allowed()",
        "!authorizer.serviceAccount('a', 'b').path('/healthz').check('get').allowed()",
        "authorizer.requestResource.check('update').reason() == 'because'",
        "!(object.spec.count > 5 || object.metadata.name.startsWith('b'))"
      })
  void says_yes_to(String text) {
    var outcome = evaluate(text);

    assertThat(outcome).as(text).isEqualTo(new CelOutcome.Value(true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "object.spec.nope == 'x'|no such key: nope",
        "object.metadata.labels['b'] == 'x'|no such key: b",
        "object.spec.names[7] == 'x'|index out of bounds: 7",
        "object.spec.count / 0 == 1|division by zero",
        "object.spec.count.x == 1|no such overload",
        "object.spec.count + 'x' == 'y'|no such overload",
        "[].min() == 1|min called on empty list",
        "quantity(object.metadata.name) == quantity('1')|quantities must match the regular"
            + " expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      })
  void fails_with_the_words_of_kubernetes(String text, String words) {
    assertThat(evaluate(text)).as(text).isEqualTo(new CelOutcome.Failure(words));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "object.(",
        "nope.x",
        "object.nope()",
        "image('a')",
        "'a'.reverse() == 'a'",
        "1 + 'a' == 2",
        "['a', 1].size() == 2",
        "['a'].sum() == 'a'",
        "'a'.matches('[')",
        "duration('1x') == duration('1s')",
        "timestamp('yesterday') < timestamp('2026-01-01T00:00:00Z')"
      })
  void refuses_when_it_compiles(String text) {
    assertThat(DYNAMIC.compile(text, Result.BOOL))
        .isInstanceOfSatisfying(
            CelCompiled.Bad.class,
            bad -> assertThat(bad.problem()).startsWith("compilation failed: ERROR: <input>:1:"));
  }

  @Test
  void calls_what_the_parser_cannot_read_a_syntax_error() {
    assertThat(DYNAMIC.compile("object = 42", Result.BOOL))
        .isInstanceOfSatisfying(
            CelCompiled.Bad.class,
            bad ->
                assertThat(bad.problem())
                    .startsWith(
                        "compilation failed: ERROR: <input>:1:8: Syntax error: token recognition"
                            + " error at: '= '")
                    .contains("\nERROR: <input>:1:10: Syntax error: extraneous input '42'"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'text'|BOOL|must evaluate to bool but got string",
        "1|STRING|must evaluate to string but got int",
        "1|STRING_OR_NULL|must evaluate to one of [string null_type] but got int",
        "object.x|BOOL|must evaluate to bool but got dyn"
      })
  void refuses_a_result_of_another_type(String text, Result wanted, String problem) {
    assertThat(DYNAMIC.compile(text, wanted)).isEqualTo(new CelCompiled.Bad(problem));
  }

  @Test
  void knows_the_fields_of_a_kind() {
    var shapes = new SchemaShapes(Schema.of(Gates.upstream(), dev.regroup.api.Decoding.STRICT));
    var configMap = shapes.kind(new GroupVersionKind("", "v1", "ConfigMap")).orElseThrow();
    var environment = CelEnvironment.of(Map.of("object", configMap));

    assertThat(environment.compile("object.data['a'] == 'b'", Result.BOOL))
        .isInstanceOf(CelCompiled.Good.class);
    assertThat(
            environment.compile(
                "object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
                Result.BOOL))
        .isInstanceOf(CelCompiled.Good.class);
    assertThat(environment.compile("object.nope == 1", Result.BOOL))
        .isInstanceOf(CelCompiled.Bad.class);
    assertThat(environment.compile("object.data['k'] > 1", Result.BOOL))
        .isInstanceOf(CelCompiled.Bad.class);
  }

  @Test
  void reads_a_tree_by_its_shape() {
    CelShape.Fields fields =
        new CelShape.Fields() {
          private final Map<String, CelShape> shapes =
              Map.of(
                  "at", Plain.TIMESTAMP,
                  "share", Plain.DOUBLE,
                  "a__dash__b", Plain.STRING,
                  "wait", Plain.DURATION,
                  "bytes", Plain.BYTES);

          @Override
          public java.util.Set<String> names() {
            return shapes.keySet();
          }

          @Override
          public CelShape shape(String name) {
            return shapes.getOrDefault(name, Plain.DYN);
          }

          @Override
          public String wire(String name) {
            return PropertyName.wire(name);
          }
        };
    var environment = CelEnvironment.of(Map.of("self", new CelShape.Structure("self", fields)));
    var text =
        "self.at < timestamp('2026-02-01T00:00:00Z') && self.share == 1.0 && self.a__dash__b == 'x'"
            + " && self.wait == duration('90s') && self.bytes == b'abc' && has(self.a__dash__b)";
    var tree =
        Wire.tree(
            """
            {"at": "2026-01-01T00:00:00Z", "share": 1, "a-b": "x", "wait": "1m30s", "bytes": "YWJj"}
            """);

    var outcome =
        good(environment, text).evaluate(environment.variables().set("self", tree), budget());

    assertThat(outcome).isEqualTo(new CelOutcome.Value(true));
  }

  @Test
  void stops_an_expression_that_does_too_much() {
    var thousand = Wire.object();
    var list = thousand.putArray("list");
    for (int i = 0; i < 1_000; i++) {
      list.add(i);
    }
    var text = "object.list.all(a, object.list.all(b, object.list.all(c, a + b + c >= 0)))";

    var outcome =
        good(DYNAMIC, text).evaluate(DYNAMIC.variables().set("object", thousand), budget());

    assertThat(outcome)
        .isEqualTo(new CelOutcome.Failure("operation cancelled: actual cost limit exceeded"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "object.list.map(a, object.list.map(b, object.text).join('-')).join().size() > 0",
        "object.list.all(a, (object.text + object.text + object.text).size() > 0)",
        "object.text.replace('x', object.text).size() > 0"
      })
  void stops_an_expression_that_makes_too_large_texts(String text) {
    var tree = Wire.object().put("text", "x".repeat(100_000));
    var list = tree.putArray("list");
    for (int i = 0; i < 500; i++) {
      list.add(i);
    }

    var outcome = good(DYNAMIC, text).evaluate(DYNAMIC.variables().set("object", tree), budget());

    assertThat(outcome)
        .isEqualTo(new CelOutcome.Failure("operation cancelled: actual cost limit exceeded"));
  }

  @Test
  void stops_at_the_deadline() {
    var clock = new java.util.concurrent.atomic.AtomicLong();
    var budget = CelBudget.of(1_000_000, Duration.ofNanos(10), clock::incrementAndGet);
    var tree = Wire.object();
    var list = tree.putArray("list");
    for (int i = 0; i < 10_000; i++) {
      list.add(i);
    }

    var outcome =
        good(DYNAMIC, "object.list.all(a, a >= 0)")
            .evaluate(DYNAMIC.variables().set("object", tree), budget);

    assertThat(outcome).isInstanceOf(CelOutcome.Failure.class);
    assertThat(budget.spent()).isTrue();
  }

  @Test
  void no_text_makes_it_throw() {
    var words =
        new String[] {
          "object",
          ".",
          "a",
          "(",
          ")",
          "[",
          "]",
          "{",
          "}",
          "'x'",
          "1",
          "1u",
          "1.5",
          "+",
          "-",
          "*",
          "/",
          "%",
          "&&",
          "||",
          "!",
          "==",
          "in",
          "?",
          ":",
          ",",
          "size",
          "has",
          "all",
          "map",
          "x",
          "matches",
          "quantity",
          "null",
          "true",
          "b'z'",
          "\"",
          "\n",
          "é",
          ".?",
          "[?",
          "sum()",
          "authorizer",
          "timestamp",
          "cel",
          "@",
          "\\",
          "`a`",
          "9999999999999999999"
        };
    long seed = 20261117;
    var random = new Random(seed);
    var tree = Wire.tree(POD);
    for (int round = 0; round < 3_000; round++) {
      var text = new StringBuilder();
      for (int i = random.nextInt(12); i >= 0; i--) {
        text.append(words[random.nextInt(words.length)]).append(random.nextBoolean() ? " " : "");
      }
      var compiled = DYNAMIC.compile(text.toString(), Result.ANY);
      if (compiled instanceof CelCompiled.Good(CelExpression expression)) {
        var outcome = expression.evaluate(DYNAMIC.variables().set("object", tree), budget());
        assertThat(outcome).as("seed %d, round %d: %s", seed, round, text).isNotNull();
      }
    }
  }

  private static CelOutcome evaluate(String text) {
    CelAuthorizer authorizer =
        question -> new CelAuthorizer.Answer(question.account().isEmpty(), "because");
    var asked = new CelAuthorizer.Question("", "", "", "", "pods", "", "a", "b");
    var variables =
        DYNAMIC
            .variables()
            .set("object", Wire.tree(POD))
            .authorizer("authorizer", authorizer)
            .resource("authorizer.requestResource", authorizer, asked);
    return good(DYNAMIC, text).evaluate(variables, budget());
  }

  private static CelExpression good(CelEnvironment environment, String text) {
    return switch (environment.compile(text, Result.BOOL)) {
      case CelCompiled.Good(CelExpression expression) -> expression;
      case CelCompiled.Bad(String problem) -> throw new AssertionError(problem);
    };
  }

  private static CelBudget budget() {
    return CelBudget.of(10_000_000, Duration.ofSeconds(30), () -> 0);
  }
}
