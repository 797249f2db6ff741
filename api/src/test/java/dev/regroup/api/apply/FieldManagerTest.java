package dev.regroup.api.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Wire;
import dev.regroup.api.apply.FieldManager.Force;
import dev.regroup.api.apply.FieldManager.Writing;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The stories of the recordings from a real server, and what else its rules say. */
class FieldManagerTest {
  private static final Schema SCHEMA = Schema.ofStored(Decoding.STRICT);
  private static final FieldSet STATUS = FieldManager.parts(List.of(List.of("status")));
  private static final FieldSet SPEC = FieldManager.parts(List.of(List.of("spec")));

  private final FieldManager configMaps = manager("", "ConfigMap");
  private final FieldManager pods = manager("", "Pod");
  private int clock;

  private static FieldManager manager(String group, String kind) {
    return new FieldManager(SCHEMA, new GroupVersionKind(group, "v1", kind));
  }

  @Test
  void a_configuration_is_owned_by_who_applies_it() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v', 'x': '1'}}");

    assertThat(owners(map)).isEqualTo("m1 Apply 1 {f:data:{f:k:{},f:x:{}}}");
  }

  @Test
  void the_same_again_changes_nothing() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v', 'x': '1'}}");

    assertThat(apply("m1", map, "{'data': {'k': 'v', 'x': '1'}}")).isEqualTo(map);
  }

  @Test
  void a_field_left_out_is_removed() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v', 'x': '1'}}");

    var next = apply("m1", map, "{'data': {'k': 'v'}}");

    assertThat(plain(next.path("data"))).isEqualTo("{k:v}");
    assertThat(owners(next)).isEqualTo("m1 Apply 2 {f:data:{f:k:{}}}");
  }

  @Test
  void two_may_own_the_same_value_and_the_second_has_changed_nothing() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v'}}");

    var next = apply("m2", map, "{'data': {'k': 'v'}}");

    assertThat(owners(next))
        .isEqualTo("m2 Apply - {f:data:{f:k:{}}}\nm1 Apply 1 {f:data:{f:k:{}}}");
  }

  @Test
  void a_field_of_another_is_a_conflict_until_forced() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v'}}");

    assertThatThrownBy(() -> apply("m2", map, "{'data': {'k': 'w'}}"))
        .hasMessage("Apply failed with 1 conflict: conflict with \"m1\": .data.k");
    var forced = force("m2", map, "{'data': {'k': 'w'}}");

    assertThat(plain(forced.path("data"))).isEqualTo("{k:w}");
    assertThat(owners(forced)).isEqualTo("m2 Apply 3 {f:data:{f:k:{}}}");
  }

  @Test
  void who_lets_go_of_a_field_of_another_removes_nothing() throws Exception {
    var map = force("m2", apply("m1", null, "{'data': {'k': 'v'}}"), "{'data': {'k': 'w'}}");

    var next = apply("m1", map, "{'data': {}}");

    assertThat(plain(next.path("data"))).isEqualTo("{k:w}");
    assertThat(owners(next)).isEqualTo("m1 Apply - {f:data:{}}\nm2 Apply 2 {f:data:{f:k:{}}}");
  }

  @Test
  void an_update_takes_what_it_changes() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v', 'x': '1'}}");

    var next = update("other", map, "{'data': {'k': 'w', 'x': '1', 'n': '1'}}");

    assertThat(owners(next))
        .isEqualTo("m1 Apply 1 {f:data:{f:x:{}}}\nother Update 2 {f:data:{f:k:{},f:n:{}}}");
    assertThatThrownBy(() -> apply("m1", next, "{'data': {'k': 'v', 'n': '2'}}"))
        .hasMessage(
            "Apply failed with 2 conflicts: conflicts with \"other\" using v1:\n"
                + "- .data.k\n"
                + "- .data.n")
        .asInstanceOf(type(ApplyConflict.class))
        .satisfies(conflict ->
            assertThat(conflict.conflicts())
                .containsExactly(
                    new ApplyConflict.Conflict("\"other\" using v1", ".data.k"),
                    new ApplyConflict.Conflict("\"other\" using v1", ".data.n")));
  }

  @Test
  void a_create_owns_everything_but_what_kubernetes_always_has() {
    var map =
        update("c", null, "{'metadata': {'name': 'a', 'labels': {'l': '1'}}, 'data': {'k': 'v'}}");

    assertThat(owners(map))
        .isEqualTo("c Update 1 {f:data:{.:{},f:k:{}},f:metadata:{f:labels:{.:{},f:l:{}}}}");
  }

  @Test
  void the_parts_of_a_created_pod_are_named_as_kubernetes_names_them() {
    var pod =
        object(
            "Pod",
            """
            {'metadata': {'generateName': 'p-', 'name': 'p-1'},
             'spec': {'containers': [{'name': 'a', 'image': 'i', 'resources': {},
                 'ports': [{'containerPort': 80, 'protocol': 'TCP'}]}],
               'nodeSelector': {'x': 'y'}, 'securityContext': {}}}
            """);

    pods.update(null, pod, pod, writing("c", ""));

    assertThat(owners(pod))
        .isEqualTo(
            "c Update 1 {f:metadata:{f:generateName:{}},f:spec:{f:containers:{k:{\\name\\:\\a\\}:{"
                + ".:{},f:image:{},f:name:{},f:ports:{.:{},k:{\\containerPort\\:80,\\protocol\\:\\TCP\\}:{"
                + ".:{},f:containerPort:{},f:protocol:{}}},f:resources:{}}},"
                + "f:nodeSelector:{},f:securityContext:{}}}");
  }

  @Test
  void keys_of_lists_have_their_defaults() throws Exception {
    var pod =
        applyPod(
            null, "{'spec': {'containers': [{'name': 'a', 'ports': [{'containerPort': 80}]}]}}");

    assertThat(owners(pod))
        .isEqualTo(
            "m1 Apply 1 {f:spec:{f:containers:{k:{\\name\\:\\a\\}:{.:{},f:name:{},f:ports:{"
                + "k:{\\containerPort\\:80,\\protocol\\:\\TCP\\}:{.:{},f:containerPort:{}}}}}}}");
  }

  @Test
  void items_of_others_stay_in_front_and_items_left_out_go() throws Exception {
    var pod =
        applyStatus(
            "node", object("Pod", "{}"), "{'conditions': [{'type': 'Ready', 'status': 'True'}]}");
    pod = applyStatus("node2", pod, "{'conditions': [{'type': 'Other', 'status': 'True'}]}");
    assertThat(plain(pod.at("/status/conditions")))
        .isEqualTo("[{type:Ready,status:True},{type:Other,status:True}]");

    pod = applyStatus("node", pod, "{'phase': 'Running'}");

    assertThat(plain(pod.path("status")))
        .isEqualTo("{conditions:[{type:Other,status:True}],phase:Running}");
    assertThat(owners(pod))
        .isEqualTo(
            "node2 Apply 2"
                + " {f:status:{f:conditions:{k:{\\type\\:\\Other\\}:{.:{},f:status:{},f:type:{}}}}}"
                + " status\n"
                + "node Apply 3 {f:status:{f:phase:{}}} status");
  }

  @Test
  void conditions_written_by_an_update_own_their_times() {
    var old = object("Pod", "{'metadata': {'name': 'p'}, 'spec': {'containers': []}}");
    pods.update(null, old, old, new Writing("c", "", "0", STATUS));
    var next = old.deepCopy();
    next.set("status", tree("{'conditions': [{'type': 'Ready', 'status': 'True'}]}"));

    pods.update(old, next, next, new Writing("kubelet", "status", "1", SPEC));

    assertThat(owners(next))
        .endsWith(
            "kubelet Update 1"
                + " {f:status:{f:conditions:{.:{},k:{\\type\\:\\Ready\\}:{.:{},f:lastProbeTime:{},f:lastTransitionTime:{},f:status:{},f:type:{}}}}}"
                + " status");
  }

  @Test
  void what_a_part_cannot_write_it_does_not_own() throws Exception {
    var pod = object("Pod", "{'spec': {'schedulerName': 's'}, 'status': {'phase': 'Failed'}}");

    var created = pods.apply(null, pod, Force.NO, new Writing("m1", "", "1", STATUS));

    assertThat(owners(created)).isEqualTo("m1 Apply 1 {f:spec:{f:schedulerName:{}}}");
  }

  @Test
  void an_object_nobody_managed_belongs_to_those_before_the_first_apply() throws Exception {
    var map = object("ConfigMap", "{'metadata': {'name': 'a'}, 'data': {'k': 'v'}}");

    var next = apply("m1", map, "{'data': {'x': '1'}}");

    assertThat(owners(next))
        .isEqualTo(
            "m1 Apply 1 {f:data:{f:x:{}}}\nbefore-first-apply Update 1 {f:data:{.:{},f:k:{}}}");
  }

  @Test
  void an_object_nobody_managed_is_not_tracked_by_updates() {
    var map = object("ConfigMap", "{'data': {'k': 'v'}}");

    assertThat(owners(update("m1", map, "{'data': {'k': 'w'}}"))).isEmpty();
  }

  @Test
  void one_empty_entry_clears_the_books() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v'}}");
    var next = map.deepCopy();
    next.withObject("metadata").set("managedFields", tree("{'x': [{}]}").path("x"));

    configMaps.update(map, next, next, writing("c", ""));

    assertThat(next.path("metadata").has("managedFields")).isFalse();
  }

  @Test
  void a_client_may_correct_the_books_but_not_break_them() throws Exception {
    var map = apply("m1", null, "{'data': {'k': 'v'}}");
    var renamed = map.deepCopy();
    ((ObjectNode) renamed.at("/metadata/managedFields/0")).put("manager", "m9");
    configMaps.update(map, renamed, renamed, writing("c", ""));
    assertThat(owners(renamed)).isEqualTo("m9 Apply 1 {f:data:{f:k:{}}}");

    var broken = map.deepCopy();
    ((ObjectNode) broken.at("/metadata/managedFields/0")).put("operation", "Nothing");
    configMaps.update(map, broken, broken, writing("c", ""));

    assertThat(owners(broken)).isEqualTo(owners(map));
  }

  @Test
  void the_oldest_of_more_than_ten_updaters_become_one() {
    clock = 100; // times of one length, which sort as texts
    var map = update("u0", null, "{'data': {'k0': '0'}}");
    var data = new StringBuilder("'k0': '0'");
    for (int i = 1; i <= 12; i++) {
      data.append(", 'k").append(i).append("': '0'");
      map = update("u" + i, map, "{'data': {" + data + "}}");
    }

    var managed = map.at("/metadata/managedFields");
    assertThat(managed.size()).isEqualTo(10);
    assertThat(plain(managed.path(0)))
        .isEqualTo(
            "{manager:ancient-changes,operation:Update,apiVersion:v1,time:104,fieldsType:FieldsV1,"
                + "fieldsV1:{f:data:{.:{},f:k0:{},f:k1:{},f:k2:{},f:k3:{}}}}");
  }

  @Test
  void kubectl_takes_along_what_it_applied_from_the_client() throws Exception {
    var last =
        "{\\\"apiVersion\\\":\\\"v1\\\",\\\"kind\\\":\\\"ConfigMap\\\",\\\"data\\\":{\\\"k\\\":\\\"v\\\"}}";
    var map =
        update(
            "kubectl-client-side-apply",
            null,
            "{'metadata': {'annotations': {'kubectl.kubernetes.io/last-applied-configuration': '"
                + last
                + "'}}, 'data': {'k': 'v', 'o': '1'}}");

    var next = apply("kubectl", map, "{'data': {'k': 'w'}}");

    assertThat(plain(next.path("data"))).isEqualTo("{k:w,o:1}");
    assertThat(next.at("/metadata/annotations").toString())
        .isEqualTo(
            "{\"kubectl.kubernetes.io/last-applied-configuration\":\"{\\\"apiVersion\\\":\\\"v1\\\","
                + "\\\"kind\\\":\\\"ConfigMap\\\",\\\"data\\\":{\\\"k\\\":\\\"w\\\"}}\\n\"}");
    assertThatThrownBy(() -> apply("kubectl", map, "{'data': {'k': 'w', 'o': '2'}}"))
        .hasMessageContaining("1 conflict")
        .hasMessageEndingWith(".data.o");
    assertThatThrownBy(() -> apply("helm", map, "{'data': {'k': 'w'}}"))
        .hasMessageEndingWith(".data.k");
  }

  @Test
  void a_configuration_that_is_not_of_its_kind_is_refused() {
    assertNotOfKind("{'nope': 1}", ".nope: field not declared in schema");
    assertNotOfKind(
        "{'data': {'k': 1}}", ".data.k: expected string, got &value.valueUnstructured{Value:1}");
    assertThatThrownBy(
            () -> applyPod(null, "{'spec': {'containers': [{'name': 'a'}, {'name': 'a'}]}}"))
        .hasMessage(".spec.containers: duplicate entries for key [name=\"a\"]");
    assertThatThrownBy(() -> applyPod(null, "{'spec': {'containers': [{'name': 'a', 'nope': 1}]}}"))
        .hasMessage(".spec.containers[name=\"a\"].nope: field not declared in schema");
  }

  @Test
  void atomic_parts_are_owned_as_a_whole() throws Exception {
    var pod =
        applyPod(
            null,
            "{'spec': {'nodeSelector': {'a': '1'}, 'containers': [{'name': 'c', 'command':"
                + " ['x']}]}}");

    var next =
        applyPod(
            pod,
            "{'spec': {'nodeSelector': {'b': '1'}, 'containers': [{'name': 'c', 'command': ['y',"
                + " 'z']}]}}");

    assertThat(plain(next.path("spec")))
        .isEqualTo("{nodeSelector:{b:1},containers:[{name:c,command:[y,z]}]}");
  }

  @Test
  void free_parts_of_custom_resources_are_owned_key_by_key() throws Exception {
    var kind = new GroupVersionKind("example.com", "v1", "Widget");
    var definition =
        Definition.of(
            "com.example.v1.Widget",
            List.of(kind),
            tree(
                "{'type': 'object', 'fields': {'apiVersion': {'type': 'string'},"
                    + " 'kind': {'type': 'string'}, 'free': {'type': 'object'}}}"));
    var widgets = new FieldManager(SCHEMA.with(List.of(definition)), kind);
    var widget = Wire.object().put("apiVersion", "example.com/v1").put("kind", "Widget");
    widget.setAll(tree("{'free': {'a': {'b': 1}, 'c': [1]}}"));

    widgets.update(null, widget, widget, writing("c", ""));

    assertThat(owners(widget)).isEqualTo("c Update 1 {f:free:{.:{},f:a:{.:{},f:b:{}},f:c:{}}}");
    var next = widget.deepCopy();
    next.remove("metadata");
    next.set("free", tree("{'a': {'d': 2}, 'c': [2]}"));
    var applied = widgets.apply(widget, next, Force.YES, writing("m1", ""));
    assertThat(plain(applied.path("free"))).isEqualTo("{a:{b:1,d:2},c:[2]}");
  }

  @Test
  void what_nobody_applied_stays_when_all_around_it_goes_on() throws Exception {
    var pod =
        applyPod(
            null,
            "{'spec': {'containers': [{'name': 'a', 'image': 'i', 'env': [{'name': 'A', 'value':"
                + " '1'}]}]}}");
    ((ObjectNode) pod.at("/spec/containers/0")).put("imagePullPolicy", "Always");

    var next = applyPod(pod, "{'spec': {'containers': [{'name': 'a', 'image': 'i'}]}}");

    assertThat(plain(next.path("spec")))
        .isEqualTo("{containers:[{name:a,image:i,imagePullPolicy:Always}]}");
  }

  private void assertNotOfKind(String configuration, String problem) {
    assertThatThrownBy(() -> apply("m1", null, configuration))
        .isInstanceOf(NotOfKind.class)
        .hasMessage(problem);
  }

  private Writing writing(String manager, String subresource) {
    return new Writing(manager, subresource, String.valueOf(++clock), FieldSet.EMPTY);
  }

  private ObjectNode apply(String manager, @Nullable ObjectNode live, String configuration)
      throws Exception {
    return configMaps.apply(
        live, object("ConfigMap", configuration), Force.NO, writing(manager, ""));
  }

  private ObjectNode force(String manager, ObjectNode live, String configuration) throws Exception {
    return configMaps.apply(
        live, object("ConfigMap", configuration), Force.YES, writing(manager, ""));
  }

  private ObjectNode applyPod(@Nullable ObjectNode live, String configuration) throws Exception {
    return pods.apply(live, object("Pod", configuration), Force.NO, writing("m1", ""));
  }

  private ObjectNode applyStatus(String manager, ObjectNode live, String status) throws Exception {
    return pods.apply(
        live,
        object("Pod", "{'status': " + status + "}"),
        Force.NO,
        new Writing(manager, "status", String.valueOf(++clock), SPEC));
  }

  private ObjectNode update(String manager, @Nullable ObjectNode old, String next) {
    var object = object("ConfigMap", next);
    configMaps.update(old, object, object, writing(manager, ""));
    return object;
  }

  private static ObjectNode object(String kind, String text) {
    ObjectNode object = Wire.object().put("apiVersion", "v1").put("kind", kind);
    object.setAll(tree(text));
    return object;
  }

  private static ObjectNode tree(String text) {
    return Wire.tree(text.replace('\'', '"'));
  }

  private static String plain(JsonNode node) {
    return node.toString().replace("\"", "");
  }

  private static String owners(ObjectNode object) {
    var lines = new StringBuilder();
    for (var entry : object.at("/metadata/managedFields")) {
      lines.append(lines.isEmpty() ? "" : "\n");
      lines.append(entry.path("manager").asText()).append(' ');
      lines.append(entry.path("operation").asText()).append(' ');
      lines.append(entry.path("time").asText("-")).append(' ');
      lines.append(plain(entry.path("fieldsV1")));
      lines.append(entry.has("subresource") ? " " + entry.path("subresource").asText() : "");
    }
    return lines.toString();
  }
}
