package dev.regroup.server.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.server.wire.DeleteParameters;
import dev.regroup.server.wire.RequestQuery;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** TERM-02 and the finalizers of deletion, as a table of cases. */
class DeletionTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final ResourceType PODS = type("pods");
  private static final ResourceType MAPS = type("configmaps");
  private static final ResourceType NAMESPACES = type("namespaces");
  private static final String BOUND =
      "{'metadata':{'name':'p','generation':1},"
          + "'spec':{'nodeName':'n','terminationGracePeriodSeconds':30},"
          + "'status':{'phase':'Running'}}";

  @Test
  void gives_a_bound_pod_its_time() throws Exception {
    var deletion = delete(PODS, BOUND, "{}");

    assertThat(deletion.kind()).isEqualTo(Deletion.Kind.MARK);
    assertThat(deletion.object().path("metadata"))
        .isEqualTo(
            json(
                "{'name':'p','generation':2,'deletionTimestamp':'2026-01-02T03:04:35Z',"
                    + "'deletionGracePeriodSeconds':30}"));
  }

  @Test
  void removes_a_pod_that_nobody_runs() throws Exception {
    var unbound = "{'metadata':{'name':'p'},'spec':{'terminationGracePeriodSeconds':30}}";
    var ended = BOUND.replace("Running", "Succeeded");

    assertThat(delete(PODS, unbound, "{}").kind()).isEqualTo(Deletion.Kind.REMOVE);
    assertThat(delete(PODS, ended, "{}").kind()).isEqualTo(Deletion.Kind.REMOVE);
    assertThat(delete(PODS, BOUND, "{'gracePeriodSeconds':0}").kind())
        .isEqualTo(Deletion.Kind.REMOVE);
  }

  @Test
  void only_shortens_the_time_of_a_pod_that_is_going() throws Exception {
    var going =
        BOUND.replace(
            "'generation':1",
            "'deletionTimestamp':'2026-01-02T03:04:35Z','deletionGracePeriodSeconds':30");

    var shorter = delete(PODS, going, "{'gracePeriodSeconds':5}");

    assertThat(shorter.kind()).isEqualTo(Deletion.Kind.MARK);
    assertThat(Meta.text(shorter.object(), "deletionTimestamp")).isEqualTo("2026-01-02T03:04:10Z");
    assertThat(delete(PODS, going, "{'gracePeriodSeconds':50}").kind())
        .isEqualTo(Deletion.Kind.NOTHING_NEW);
    assertThat(delete(PODS, going, "{}").kind()).isEqualTo(Deletion.Kind.NOTHING_NEW);
    assertThat(delete(PODS, going, "{'gracePeriodSeconds':0}").kind())
        .isEqualTo(Deletion.Kind.REMOVE);
  }

  @Test
  void asks_the_garbage_collector_by_finalizers() throws Exception {
    var map = "{'metadata':{'name':'a'}}";

    assertThat(delete(MAPS, map, "{}").kind()).isEqualTo(Deletion.Kind.REMOVE);
    var orphan = delete(MAPS, map, "{'propagationPolicy':'Orphan'}");
    var foreground = delete(MAPS, map, "{'propagationPolicy':'Foreground'}");

    assertThat(orphan.kind()).isEqualTo(Deletion.Kind.MARK);
    assertThat(Meta.finalizers(orphan.object())).containsExactly("orphan");
    assertThat(Meta.finalizers(foreground.object())).containsExactly("foregroundDeletion");
    assertThat(foreground.object().at("/metadata/deletionGracePeriodSeconds").asInt(-1)).isZero();
  }

  @Test
  void lets_a_namespace_empty_itself_first() throws Exception {
    var namespace = "{'metadata':{'name':'n'},'spec':{'finalizers':['kubernetes']}}";

    var deletion = delete(NAMESPACES, namespace, "{}");

    assertThat(deletion.kind()).isEqualTo(Deletion.Kind.MARK);
    assertThat(deletion.object().at("/status/phase").asText()).isEqualTo("Terminating");
    assertThat(Deletion.finished(NAMESPACES, deletion.object())).isFalse();
    ((ObjectNode) deletion.object().path("spec")).remove("finalizers");
    assertThat(Deletion.finished(NAMESPACES, deletion.object())).isTrue();
  }

  private static Deletion delete(ResourceType type, String object, String options)
      throws Exception {
    var how =
        DeleteParameters.of(
            RequestQuery.parse(""), options.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    return type.strategy().delete(json(object), how, NOW);
  }

  private static ResourceType type(String plural) {
    return Catalog.standard().find("", "v1", plural).orElseThrow();
  }

  private static ObjectNode json(String text) {
    return Wire.tree(text.replace('\'', '"'));
  }
}
