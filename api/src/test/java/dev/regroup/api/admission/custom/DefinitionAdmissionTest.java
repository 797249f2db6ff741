package dev.regroup.api.admission.custom;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What definitions may say; the texts are those of Kubernetes. */
class DefinitionAdmissionTest {
  private static final GroupVersionKind KIND =
      new GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  private static final String SCHEMA = "spec.validation.openAPIV3Schema";

  @Test
  void fills_in_names_conversion_and_the_version_that_is_stored() {
    var admitted = create(definition -> names(definition).remove(List.of("singular", "listKind")));

    assertThat(admitted.errors()).isEmpty();
    var object = admitted.object();
    assertThat(object.at("/spec/names/singular").asText()).isEqualTo("widget");
    assertThat(object.at("/spec/names/listKind").asText()).isEqualTo("WidgetList");
    assertThat(object.at("/spec/conversion/strategy").asText()).isEqualTo("None");
    assertThat(object.at("/status/storedVersions").toString()).isEqualTo("[\"v1\"]");
    assertThat(object.at("/status/acceptedNames/plural").asText("-")).isEmpty();
    assertThat(object.at("/metadata/generation").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {}                                        | .type: Required value: must not be empty at the root
          {'type':'array'}                          | .items: Required value: must be specified; .type: Invalid value: "array": must be object at the root
          {'type':'object','additionalProperties':true} | .additionalProperties: Forbidden: must not be used at the root
          {'type':'object','nullable':true}         | .nullable: Forbidden: nullable cannot be true at the root
          {'type':'object','properties':{'a':{}}}   | .properties[a].type: Required value: must not be empty for specified object fields
          {'type':'object','properties':{'a':{'type':'array','items':{}}}} | .properties[a].items.type: Required value: must not be empty for specified array items
          {'type':'object','properties':{'a':{'type':'strange'}}} | .properties[a].type: Unsupported value: "strange": supported values: "array", "boolean", "integer", "number", "object", "string"
          {'type':'object','properties':{'a':{'type':'string','pattern':'('}}} | .properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`
          {'type':'object','properties':{'a':{'type':'integer','anyOf':[{'type':'integer'}]}}} | .properties[a].anyOf[0].type: Forbidden: must be empty to be structural
          {'type':'object','allOf':[{'properties':{'b':{'minimum':1}}}]} | .properties[b]: Required value: because it is defined in spec.validation.openAPIV3Schema.allOf[0].properties[b]
          {'type':'object','properties':{'metadata':{'type':'object','properties':{'labels':{'type':'object'}}}}} | .properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified
          {'type':'object','properties':{'a':{'type':'array','uniqueItems':true,'items':{'type':'string'}}}} | .properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic
          {'type':'object','properties':{'a':{'type':'object','properties':{'b':{'type':'string'}},'additionalProperties':{'type':'string'}}}} | .properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive
          {'type':'object','properties':{'a':{'type':'string','$ref':'x'}}} | .properties[a].$ref: Forbidden: $ref is not supported
          {'type':'object','properties':{'a':{'x-kubernetes-preserve-unknown-fields':false,'type':'object'}}} | .properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined
          {'type':'object','properties':{'a':{'type':'object','x-kubernetes-list-type':'set'}}} | .properties[a].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified
          {'type':'object','properties':{'a':{'type':'array','items':{'type':'string'},'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k']}}} | .properties[a].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map
          {'type':'object','properties':{'a':{'type':'array','items':{'type':'object','properties':{'k':{'type':'string'}}},'x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['k']}}} | .properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property
          {'type':'object','properties':{'a':{'type':'object','x-kubernetes-embedded-resource':true}}} | .properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields
          {'type':'object','properties':{'a':{'type':'object','default':{'x':1}}}} | .properties[a].default: Invalid value: {"x":1}: must not have unknown fields
          {'type':'object','properties':{'a':{'type':'string','default':5}}} | .properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"
          {'type':'object','properties':{'kind':{'type':'string','default':'x'}}} | .properties[kind].default: Forbidden: must not be set in top-level kind
          {'type':'object','x-kubernetes-validations':[{'rule':'1'}]} | .x-kubernetes-validations[0].rule: Invalid value: <rule>: cel expression must evaluate to a bool
          {'type':'object','x-kubernetes-validations':[{'rule':' '}]} | .x-kubernetes-validations[0].rule: Required value: rule is not specified
          {'type':'object','x-kubernetes-validations':[{'rule':'true','fieldPath':'.nope'}]} | .x-kubernetes-validations[0].fieldPath: Invalid value: ".nope": must be a valid path
          {'type':'object','x-kubernetes-validations':[{'rule':'true','optionalOldSelf':true}]} | .x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule
          {'type':'object','properties':{'a':{'type':'array','maxItems':5,'items':{'type':'string','maxLength':5,'x-kubernetes-validations':[{'rule':'self == oldSelf'}]}}}} | .properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[a]
          {'type':'object','properties':{'a':{'type':'array','maxItems':34,'items':{'type':'string','x-kubernetes-validations':[{'rule':'self == self'}]}}}} | .properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.069555x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
          {'type':'object','properties':{'a':{'type':'array','items':{'type':'string','maxLength':10,'x-kubernetes-validations':[{'rule':'self == self && self == self && self == self'}]}}}} | .properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.9x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
          {'type':'object','properties':{'a':{'type':'array','items':{'type':'string','x-kubernetes-validations':[{'rule':'self == self'}]}}}} | .properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared); .properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema; : Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
          """)
  void refuses_a_schema(String schema, String errors) {
    var admitted =
        create(definition ->
            version(definition).set("schema", tree("{'openAPIV3Schema':" + schema + "}")));

    assertThat(admitted.errors())
        .extracting(error -> error.toString().replaceAll("\\{\"Rule\".*?}", "<rule>"))
        .containsExactlyInAnyOrder(
            List.of(errors.split("; ")).stream().map(text -> SCHEMA + text).toArray(String[]::new));
  }

  @Test
  void versions_that_differ_are_told_apart() {
    var admitted =
        create(definition ->
            definition
                .withArray("/spec/versions")
                .add(
                    tree(
                        "{'name':'v2','served':true,'storage':false,'schema':{'openAPIV3Schema':{}}}")));

    assertThat(admitted.errors())
        .extracting(FieldError::toString)
        .containsExactly(
            "spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the"
                + " root");
  }

  @Test
  void conversion_by_webhook_is_refused_by_its_field() {
    var admitted =
        create(definition ->
            definition.withObject("/spec").set("conversion", tree("{'strategy':'Webhook'}")));

    assertThat(admitted.errors())
        .singleElement()
        .satisfies(error -> {
          assertThat(error.path().toString()).isEqualTo("spec.conversion.strategy");
          assertThat(error.detail()).startsWith("conversion webhooks are not called here");
        });
  }

  @Test
  void groups_of_the_community_need_a_word_of_approval() {
    Consumer<ObjectNode> community =
        definition -> {
          definition.withObject("/spec").put("group", "x.k8s.io");
          definition.withObject("/metadata").put("name", "widgets.x.k8s.io");
        };

    assertThat(create(community).errors())
        .extracting(FieldError::toString)
        .containsExactly(
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups"
                + " must have approval annotation \"api-approved.kubernetes.io\", see"
                + " https://github.com/kubernetes/enhancements/pull/1111");
    assertThat(
            create(
                    community.andThen(definition ->
                        definition
                            .withObject("/metadata/annotations")
                            .put("api-approved.kubernetes.io", "unapproved, for trying")))
                .errors())
        .isEmpty();
  }

  @Test
  void columns_scale_and_selectable_fields_lead_somewhere() {
    var admitted =
        create(definition -> {
          var version = version(definition);
          version.set(
              "additionalPrinterColumns",
              tree("{'l':[{'name':'A','type':'odd','jsonPath':'spec.a'}]}").path("l"));
          version.set(
              "subresources",
              tree("{'scale':{'specReplicasPath':'.status.n','statusReplicasPath':'.status.n'}}"));
          version.set("selectableFields", tree("{'l':[{'jsonPath':'.spec.nope'}]}").path("l"));
        });

    assertThat(admitted.errors())
        .extracting(FieldError::toString)
        .containsExactly(
            "spec.subresources.scale.specReplicasPath: Invalid value: \".status.n\": should be a"
                + " json path under .spec",
            "spec.additionalPrinterColumns[0].type: Invalid value: \"odd\": must be one of"
                + " boolean,date,integer,number,string",
            "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"spec.a\": must be a simple"
                + " json path starting with .",
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.nope\": is an invalid path:"
                + " does not refer to a valid field");
  }

  @Test
  void what_makes_it_another_kind_cannot_change() {
    var old = create(_ -> {}).object();
    old.withObject("/status")
        .withArray("conditions")
        .add(tree("{'type':'Established','status':'True'}"));
    var next = old.deepCopy();
    next.withObject("/spec").put("scope", "Cluster").put("group", "other.example");
    names(next).put("kind", "Gadget");

    assertThat(admit(next, old).errors())
        .extracting(FieldError::toString)
        .containsExactly(
            "spec.scope: Invalid value: \"Cluster\": field is immutable",
            "spec.names.kind: Invalid value: \"Gadget\": field is immutable",
            "spec.group: Invalid value: \"other.example\": field is immutable");
  }

  @Test
  void a_version_that_was_stored_stays_until_nothing_is_stored_in_it() {
    var old = create(_ -> {}).object();
    var next = old.deepCopy();
    version(next).put("name", "v2");

    assertThat(admit(next, old).errors())
        .extracting(FieldError::toString)
        .containsExactly(
            "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was"
                + " previously a storage version, and must remain in spec.versions until a storage"
                + " migration ensures no data remains persisted in v1 and removes v1 from"
                + " status.storedVersions");
  }

  @Test
  void formats_nobody_knows_are_accepted_with_a_word() {
    var admitted =
        create(definition ->
            version(definition)
                .set(
                    "schema",
                    tree(
                        "{'openAPIV3Schema':{'type':'object','properties':{'a':{'type':'string','format':'colour'}}}}")));

    assertThat(admitted.errors()).isEmpty();
    assertThat(admitted.warnings()).containsExactly("unrecognized format \"colour\"");
  }

  private static Admitted create(Consumer<ObjectNode> change) {
    var definition =
        tree(
            "{'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',"
                + "'metadata':{'name':'widgets.g.example'},'spec':{'group':'g.example',"
                + "'scope':'Namespaced','names':{'plural':'widgets','singular':'widget',"
                + "'kind':'Widget','listKind':'WidgetList'},'versions':[{'name':'v1','served':true,"
                + "'storage':true,'schema':{'openAPIV3Schema':{'type':'object'}}}]}}");
    change.accept(definition);
    return admit(definition, null);
  }

  private static Admitted admit(ObjectNode definition, @Nullable ObjectNode old) {
    var admission = new DefinitionAdmission();
    var operation = old == null ? Operation.CREATE : Operation.UPDATE;
    var review = new Review(KIND, operation, definition, old);
    return admission.judge(review.after(admission.fill(review)), Lookup.NOTHING);
  }

  private static ObjectNode names(ObjectNode definition) {
    return definition.withObject("/spec/names");
  }

  private static ObjectNode version(ObjectNode definition) {
    return (ObjectNode) definition.withArray("/spec/versions").get(0);
  }

  private static ObjectNode tree(String json) {
    return Wire.tree(json.replace('\'', '"'));
  }
}
