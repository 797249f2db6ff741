package dev.regroup.api.structural;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules in CEL at the places of a schema. */
class SchemaRulesTest {

  @Test
  void a_rule_that_does_not_hold_is_told_with_its_message_at_its_place() {
    var schema =
        "{'spec':{'type':'object','properties':{'min':{'type':'integer'},'max':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'self.min"
            + " <= self.max','message':'min is too large'},{'rule':'self.max <"
            + " 10','messageExpression':\"'max is ' + string(self.max)\","
            + "'reason':'FieldValueForbidden','fieldPath':'.max'}]}}";

    assertThat(errors(schema, "{'spec':{'min':30,'max':20}}", null))
        .containsExactly("spec: Invalid value: min is too large", "spec.max: Forbidden: max is 20");
    assertThat(errors(schema, "{'spec':{'min':1,'max':2}}", null)).isEmpty();
  }

  @Test
  void a_rule_about_the_past_waits_for_a_past() {
    var schema =
        "{'fixed':{'type':'string','x-kubernetes-validations':[{'rule':'self == oldSelf'}]}}";

    assertThat(errors(schema, "{'fixed':'a'}", null)).isEmpty();
    assertThat(errors(schema, "{'fixed':'a'}", "{}")).isEmpty();
    assertThat(errors(schema, "{'fixed':'b'}", "{'fixed':'a'}"))
        .containsExactly("fixed: Invalid value: \"b\": failed rule: self == oldSelf");
  }

  @Test
  void with_an_optional_past_it_is_asked_at_once() {
    var schema =
        "{'n':{'type':'integer','x-kubernetes-validations':[{'optionalOldSelf':true,'rule':'oldSelf.hasValue()"
            + " ? self >= oldSelf.value() : self == 1','message':'grows from 1'}]}}";

    assertThat(errors(schema, "{'n':2}", null))
        .containsExactly("n: Invalid value: 2: grows from 1");
    assertThat(errors(schema, "{'n':1}", null)).isEmpty();
    assertThat(errors(schema, "{'n':3}", "{'n':2}")).isEmpty();
    assertThat(errors(schema, "{'n':1}", "{'n':2}"))
        .containsExactly("n: Invalid value: 1: grows from 1");
  }

  @Test
  void items_of_keyed_lists_meet_their_old_selves() {
    var schema =
        "{'l':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k'],"
            + "'items':{'type':'object','properties':{'k':{'type':'string'},'v':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'self.v"
            + " >= oldSelf.v','message':'shrinks'}]}}}";

    assertThat(
            errors(
                schema,
                "{'l':[{'k':'b','v':1},{'k':'a','v':1}]}",
                "{'l':[{'k':'a','v':2},{'k':'b','v':1}]}"))
        .containsExactly("l[1]: Invalid value: shrinks");
  }

  @Test
  void what_has_not_changed_is_not_judged_anew() {
    var schema =
        "{'a':{'type':'string','x-kubernetes-validations':[{'rule':'size(self) < 3'}]},"
            + "'b':{'type':'string'}}";

    assertThat(errors(schema, "{'a':'long','b':'2'}", "{'a':'long','b':'1'}")).isEmpty();
    assertThat(errors(schema, "{'a':'longer'}", "{'a':'long'}")).hasSize(1);
  }

  @Test
  void a_rule_that_fails_says_why() {
    var schema =
        "{'m':{'type':'object','additionalProperties':{'type':'string'},"
            + "'x-kubernetes-validations':[{'rule':\"self['a'] == 'b'\"}]}}";

    assertThat(errors(schema, "{'m':{'x':'y'}}", null))
        .containsExactly(
            "m: Invalid value: \"object\": no such key: a evaluating rule: self['a'] == 'b'");
  }

  @Test
  void a_rule_that_never_ends_is_stopped() {
    var schema =
        "{'l':{'type':'array','items':{'type':'integer'},'x-kubernetes-validations':[{'rule':'self.all(a,"
            + " self.all(b, self.all(c, a + b + c >= 0)))'},{'rule':'false'}]}}";
    var list = new StringBuilder("{'l':[0");
    for (int i = 1; i < 200; i++) {
      list.append(',').append(i);
    }

    assertThat(errors(schema, list.append("]}").toString(), null))
        .singleElement()
        .asString()
        .contains("no further validation rules will be run due to call cost exceeds limit");
  }

  private static List<String> errors(String properties, String now, @Nullable String before) {
    var json = before == null ? null : (JsonNode) SchemaValidationTest.tree(before);
    return SchemaRules.ofObject(rules(properties))
        .check(FieldPath.ROOT, SchemaValidationTest.tree(now), json)
        .stream()
        .map(FieldError::toString)
        .toList();
  }

  /** Single quotes inside of double ones stay. */
  private static Structural rules(String properties) {
    var text = new StringBuilder();
    boolean inside = false;
    for (char c : properties.toCharArray()) {
      if (c == '"') {
        inside = !inside;
        text.append('"');
      } else {
        text.append(c == '\'' && !inside ? '"' : c);
      }
    }
    return Structural.of(Wire.tree("{\"type\":\"object\",\"properties\":" + text + "}"));
  }
}
