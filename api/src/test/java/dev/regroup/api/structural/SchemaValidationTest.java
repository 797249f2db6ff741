package dev.regroup.api.structural;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values against schemas; the texts are those of Kubernetes. */
class SchemaValidationTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {'type':'integer'}                      | 'x'   | v: Invalid value: "string": v in body must be of type integer: "string"
          {'type':'string'}                       | null  | v: Invalid value: "null": v in body must be of type string: "null"
          {'type':'boolean'}                      | []    | v: Invalid value: "array": v in body must be of type boolean: "array"
          {'x-kubernetes-int-or-string':true}     | true  | v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"
          {'type':'integer','minimum':3}          | 2     | v: Invalid value: 2: v in body should be greater than or equal to 3
          {'type':'number','maximum':1.5}         | 1.75  | v: Invalid value: 1.75: v in body should be less than or equal to 1.5
          {'type':'integer','maximum':3,'exclusiveMaximum':true} | 3 | v: Invalid value: 3: v in body should be less than 3
          {'type':'integer','multipleOf':4}       | 6     | v: Invalid value: 6: v in body should be a multiple of 4
          {'type':'string','maxLength':2}         | 'abc' | v: Too long: may not be more than 2 bytes
          {'type':'string','minLength':2}         | 'a'   | v: Invalid value: "a": v in body should be at least 2 chars long
          {'type':'string','pattern':'^a+$'}      | 'b'   | v: Invalid value: "b": v in body should match `^a+$`
          {'type':'string','format':'date-time'}  | 'now' | v: Invalid value: "now": v in body must be of type date-time: "now"
          {'type':'string','enum':['a','b']}      | 'c'   | v: Unsupported value: "c": supported values: "a", "b"
          {'type':'array','items':{},'maxItems':1}| [1,2] | v: Too many: 2: must have at most 1 item
          {'type':'array','items':{},'minItems':1}| []    | v: Invalid value: 0: v in body should have at least 1 items
          {'type':'object','maxProperties':0}     | {'a':1} | v: Too many: 1: must have at most 0 items
          {'type':'object','minProperties':1}     | {}    | v: Invalid value: 0: v in body should have at least 1 properties
          {'type':'object','required':['a']}      | {}    | v.a: Required value
          """)
  void says_what_is_wrong_with_a_value(String schema, String value, String error) {
    assertThat(errors("{'v':" + schema + "}", "{'v':" + value + "}"))
        .containsExactly(error.replace('`', '\''));
  }

  @Test
  void a_fraction_is_no_integer_and_told_so_twice() {
    assertThat(errors("{'v':{'type':'integer'}}", "{'v':1.5}"))
        .containsExactly(
            "v: Invalid value: \"number\": v in body must be of type integer: \"number\"",
            "<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in"
                + " v");
  }

  @Test
  void of_clauses_that_all_refuse_the_best_fit_is_quoted() {
    var schema =
        "{'v':{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'integer'}},"
            + "'oneOf':[{'required':['a']},{'required':['b']}]}}";

    assertThat(errors(schema, "{'v':{}}"))
        .containsExactly(
            "<nil>: Invalid value: \"\": \"v\" must validate one and only one schema (oneOf). Found"
                + " none valid",
            "v.a: Required value");
    assertThat(errors(schema, "{'v':{'a':1,'b':2}}"))
        .containsExactly(
            "<nil>: Invalid value: \"\": \"v\" must validate one and only one schema (oneOf). Found"
                + " 2 valid alternatives");
    assertThat(errors(schema, "{'v':{'a':1}}")).isEmpty();
  }

  @Test
  void what_was_wrong_before_may_stay_as_it_is() {
    var schema =
        schema(
            "{'v':{'type':'string','maxLength':1},'w':{'type':'string','maxLength':1},"
                + "'l':{'type':'array','x-kubernetes-list-type':'map',"
                + "'x-kubernetes-list-map-keys':['k'],'items':{'type':'object','properties':"
                + "{'k':{'type':'string'},'n':{'type':'integer','maximum':1}}}}}");
    var old = tree("{'v':'long','w':'long','l':[{'k':'a','n':5},{'k':'b','n':1}]}");
    var now = tree("{'v':'long','w':'longer','l':[{'k':'b','n':7},{'k':'a','n':5}]}");

    assertThat(SchemaValidation.check(FieldPath.ROOT, now, old, schema))
        .extracting(FieldError::toString)
        .containsExactlyInAnyOrder(
            "w: Too long: may not be more than 1 bytes",
            "l[0].n: Invalid value: 7: l[0].n in body should be less than or equal to 1");
  }

  @Test
  void texts_of_a_part_begin_at_the_part() {
    var errors =
        SchemaValidation.check(
            FieldPath.of("status"), tree("{'n':'x'}"), schema("{'n':{'type':'integer'}}"));

    assertThat(errors)
        .extracting(FieldError::toString)
        .containsExactly(
            "status.n: Invalid value: \"string\": n in body must be of type integer: \"string\"");
  }

  private static List<String> errors(String properties, String value) {
    return SchemaValidation.check(FieldPath.ROOT, tree(value), schema(properties)).stream()
        .map(FieldError::toString)
        .toList();
  }

  static Structural schema(String properties) {
    return Structural.of(tree("{'type':'object','properties':" + properties + "}"));
  }

  static ObjectNode tree(String json) {
    return Wire.tree(json.replace('\'', '"'));
  }
}
