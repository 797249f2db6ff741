package dev.regroup.api.structural;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.schema.Undecodable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How objects of custom kinds are read: pruned, filled in, their metadata in form. */
class CustomKindTest {
  private static final Decoder DECODER = new Decoder(Schema.of(Gates.upstream(), Decoding.STRICT));

  @Test
  void drops_what_the_schema_does_not_know_and_names_it() throws Exception {
    var read =
        read(
            "{'spec':{'type':'object','properties':{'a':{'type':'string'},"
                + "'list':{'type':'array','items':{'type':'object','properties':{'b':{'type':'integer'}}}}}}}",
            "{'metadata':{'name':'x','odd':1},'spec':{'a':'1','z':2,'list':[{'b':1,'c':2}]},'more':1}");

    assertThat(read.problems())
        .containsExactly(
            "unknown field \"metadata.odd\"",
            "unknown field \"more\"",
            "unknown field \"spec.list[0].c\"",
            "unknown field \"spec.z\"");
    assertThat(read.object().path("spec"))
        .isEqualTo(SchemaValidationTest.tree("{'a':'1','list':[{'b':1}]}"));
  }

  @Test
  void keeps_everything_where_unknown_fields_are_preserved() throws Exception {
    var read =
        read(
            "{'free':{'type':'object','x-kubernetes-preserve-unknown-fields':true,"
                + "'properties':{'known':{'type':'object','properties':{'a':{'type':'integer'}}}}}}",
            "{'free':{'x':{'y':[1,{'z':2}]},'known':{'a':1,'b':2}}}");

    assertThat(read.problems()).containsExactly("unknown field \"free.known.b\"");
    assertThat(read.object().path("free"))
        .isEqualTo(SchemaValidationTest.tree("{'x':{'y':[1,{'z':2}]},'known':{'a':1}}"));
  }

  @Test
  void fills_in_defaults_also_inside_of_defaults_and_items() throws Exception {
    var read =
        read(
            "{'spec':{'type':'object','default':{},'properties':{"
                + "'mode':{'type':'string','default':'fast'},"
                + "'none':{'type':'string','nullable':true,'default':'d'},"
                + "'items':{'type':'array','items':{'type':'object','properties':{"
                + "'k':{'type':'string','default':'d'}}}}}}}",
            "{'spec':{'mode':null,'none':null,'items':[{}]}}");

    assertThat(read.object().path("spec"))
        .isEqualTo(SchemaValidationTest.tree("{'mode':'fast','none':null,'items':[{'k':'d'}]}"));
    assertThat(
            read(
                    "{'spec':{'type':'object','default':{},'properties':"
                        + "{'mode':{'type':'string','default':'fast'}}}}",
                    "{}")
                .object()
                .path("spec"))
        .isEqualTo(SchemaValidationTest.tree("{'mode':'fast'}"));
  }

  @Test
  void null_that_is_not_allowed_is_the_same_as_absent() throws Exception {
    var read =
        read(
            "{'a':{'type':'string'},'b':{'type':'string','nullable':true}}", "{'a':null,'b':null}");

    assertThat(read.object().has("a")).isFalse();
    assertThat(read.object().path("b").isNull()).isTrue();
  }

  @Test
  void a_number_without_a_fraction_is_written_as_a_whole_one() throws Exception {
    var read = read("{'n':{'type':'number'},'m':{'type':'number'}}", "{'n':2.0,'m':2.5}");

    assertThat(read.object().path("n").toString()).isEqualTo("2");
    assertThat(read.object().path("m").toString()).isEqualTo("2.5");
  }

  @Test
  void metadata_of_embedded_objects_is_in_form() throws Exception {
    var schema =
        "{'t':{'type':'object','x-kubernetes-embedded-resource':true,"
            + "'x-kubernetes-preserve-unknown-fields':true}}";

    var read =
        read(
            schema,
            "{'t':{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','odd':1},'spec':{}}}");

    assertThat(read.problems()).containsExactly("unknown field \"t.metadata.odd\"");
    assertThatThrownBy(() -> read(schema, "{'t':{'apiVersion':'v1','kind':3}}"))
        .isInstanceOf(Undecodable.class)
        .hasMessage(
            "W in version \"v1\" cannot be handled as a W: t.kind: Invalid value: 3: must be a"
                + " string");
  }

  private static Decoder.Decoded read(String properties, String object) throws Undecodable {
    var version =
        SchemaValidationTest.tree(
            "{'schema':{'openAPIV3Schema':{'type':'object','properties':" + properties + "}}}");
    var kind = CustomKind.of(new GroupVersionKind("g.example", "v1", "W"), version);
    ObjectNode tree = SchemaValidationTest.tree(object);
    tree.put("apiVersion", "g.example/v1").put("kind", "W");
    return kind.read(new Document(tree, List.of()), DECODER);
  }
}
