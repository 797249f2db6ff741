package dev.regroup.server.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import org.junit.jupiter.api.Test;

class StrategicMergePatchTest {
  private static final Schema SCHEMA = Schema.of(Gates.upstream(), Gates.upstream().decoding());

  @Test
  void merges_containers_by_name() throws Exception {
    var patched =
        patch(
            "{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'1'}]}}",
            "{'spec':{'containers':[{'name':'b','image':'2'}]}}");

    assertThat(patched)
        .isEqualTo(
            json("{'spec':{'containers':[{'name':'a','image':'1'},{'name':'b','image':'2'}]}}"));
  }

  @Test
  void puts_new_finalizers_first_and_keeps_the_old() throws Exception {
    var patched = patch("{'metadata':{'finalizers':['c']}}", "{'metadata':{'finalizers':['d']}}");

    assertThat(patched).isEqualTo(json("{'metadata':{'finalizers':['d','c']}}"));
  }

  @Test
  void orders_elements_as_the_directive_says() throws Exception {
    var patched =
        patch(
            "{'status':{'conditions':[{'type':'B','status':'True'},{'type':'C','status':'True'}]}}",
            "{'status':{'$setElementOrder/conditions':[{'type':'C'},{'type':'B'}],"
                + "'conditions':[{'type':'C','status':'False'}]}}");

    assertThat(patched)
        .isEqualTo(
            json(
                "{'status':{'conditions':[{'type':'C','status':'False'},"
                    + "{'type':'B','status':'True'}]}}"));
  }

  @Test
  void deletes_one_element_and_single_values() throws Exception {
    var patched =
        patch(
            "{'metadata':{'finalizers':['a','b']},"
                + "'status':{'conditions':[{'type':'A'},{'type':'B'}]}}",
            "{'metadata':{'$deleteFromPrimitiveList/finalizers':['a']},"
                + "'status':{'conditions':[{'$patch':'delete','type':'A'}]}}");

    assertThat(patched)
        .isEqualTo(
            json("{'metadata':{'finalizers':['b']},'status':{'conditions':[{'type':'B'}]}}"));
  }

  @Test
  void replaces_a_list_that_has_no_merge_key() throws Exception {
    var patched =
        patch(
            "{'spec':{'containers':[{'name':'a','command':['x','y']}]}}",
            "{'spec':{'containers':[{'name':'a','command':['z']}]}}");

    assertThat(patched).isEqualTo(json("{'spec':{'containers':[{'name':'a','command':['z']}]}}"));
  }

  @Test
  void keeps_only_the_retained_keys() throws Exception {
    var patched =
        patch(
            "{'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}",
            "{'spec':{'volumes':[{'name':'v','$retainKeys':['name','hostPath'],"
                + "'hostPath':{'path':'/x'}}]}}");

    assertThat(patched)
        .isEqualTo(json("{'spec':{'volumes':[{'name':'v','hostPath':{'path':'/x'}}]}}"));
  }

  @Test
  void drops_directives_where_there_is_nothing_to_merge_with() throws Exception {
    var patched =
        patch(
            "{'metadata':{}}",
            "{'metadata':{'labels':{'$patch':'replace','x':'1'},"
                + "'annotations':{'a':'b','n':null}}}");

    assertThat(patched).isEqualTo(json("{'metadata':{'annotations':{'a':'b'}}}"));
  }

  @Test
  void refuses_elements_without_their_key() {
    assertThatThrownBy(() ->
            patch(
                "{'spec':{'containers':[{'name':'a'}]}}",
                "{'spec':{'containers':[{'image':'x'}]}}"))
        .hasMessage("map: map[image:x] does not contain declared merge key: name");
  }

  private static ObjectNode patch(String target, String patch) throws Exception {
    var pod = SCHEMA.kind(new GroupVersionKind("", "v1", "Pod")).orElseThrow();
    return new StrategicMergePatch(SCHEMA).apply(json(target), json(patch), pod);
  }

  private static ObjectNode json(String text) {
    return Wire.tree(text.replace('\'', '"'));
  }
}
