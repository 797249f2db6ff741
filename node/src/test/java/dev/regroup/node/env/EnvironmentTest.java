package dev.regroup.node.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnvironmentTest {

  private static final PodFacts FACTS =
      new PodFacts("n1", "10.0.0.1", "10.1.0.7", BigDecimal.TWO, BigDecimal.valueOf(1 << 30));

  private static final Pod POD =
      new PodBuilder()
          .withNewMetadata()
          .withName("p")
          .withNamespace("ns")
          .withUid("u1")
          .addToLabels("app", "x")
          .addToAnnotations("note", "say \"hi\"")
          .endMetadata()
          .withNewSpec()
          .withServiceAccountName("default")
          .endSpec()
          .build();

  private static final Configs CONFIGS =
      new Configs() {
        @Override
        public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
          return name.equals("cm")
              ? Optional.of(Map.of("k", "key".getBytes(UTF_8), "j", "jay".getBytes(UTF_8)))
              : Optional.empty();
        }

        @Override
        public Optional<Map<String, byte[]>> secret(String namespace, String name) {
          return name.equals("se")
              ? Optional.of(Map.of("s", "hidden".getBytes(UTF_8)))
              : Optional.empty();
        }
      };

  private static final Environment.Files FILES =
      new Environment.Files() {
        @Override
        public String place(String volume, String path) {
          return "/" + volume + "/" + path;
        }

        @Override
        public String read(String volume, String path) {
          return "A='in " + volume + " " + path + "'\n";
        }
      };

  @Test
  void evaluates_fields_resources_and_references_in_order() throws Exception {
    var container =
        new ContainerBuilder()
            .addNewEnv()
            .withName("POD")
            .withNewValueFrom()
            .withNewFieldRef()
            .withFieldPath("metadata.name")
            .endFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("LBL")
            .withNewValueFrom()
            .withNewFieldRef()
            .withFieldPath("metadata.labels['app']")
            .endFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("IP")
            .withNewValueFrom()
            .withNewFieldRef()
            .withFieldPath("status.podIP")
            .endFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("MEM")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withResource("limits.memory")
            .withDivisor(new Quantity("1Mi"))
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("CPU")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withResource("requests.cpu")
            .withDivisor(new Quantity("1m"))
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("LIMIT")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withResource("limits.cpu")
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("COMBO")
            .withValue("$(POD)/$(LBL)/$$(X)/$(UNDEFINED)/$(LATER)")
            .endEnv()
            .addNewEnv()
            .withName("LATER")
            .withValue("1")
            .endEnv()
            .withNewResources()
            .addToLimits("memory", new Quantity("32Mi"))
            .addToRequests("cpu", new Quantity("20m"))
            .endResources()
            .build();

    assertThat(environment(container))
        .containsExactly(
            Map.entry("POD", "p"),
            Map.entry("LBL", "x"),
            Map.entry("IP", "10.1.0.7"),
            Map.entry("MEM", "32"),
            Map.entry("CPU", "20"),
            Map.entry("LIMIT", "2"),
            Map.entry("COMBO", "p/x/$(X)/$(UNDEFINED)/$(LATER)"),
            Map.entry("LATER", "1"));
  }

  @Test
  void takes_whole_config_maps_with_a_prefix_and_single_keys() throws Exception {
    var container =
        new ContainerBuilder()
            .addNewEnvFrom()
            .withPrefix("P_")
            .withNewConfigMapRef("cm", false)
            .endEnvFrom()
            .addNewEnvFrom()
            .withNewSecretRef("none", true)
            .endEnvFrom()
            .addNewEnv()
            .withName("A")
            .withNewValueFrom()
            .withNewConfigMapKeyRef("k", "cm", false)
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("B")
            .withNewValueFrom()
            .withNewSecretKeyRef("s", "se", false)
            .endValueFrom()
            .endEnv()
            .addNewEnv()
            .withName("C")
            .withNewValueFrom()
            .withNewSecretKeyRef("absent", "se", true)
            .endValueFrom()
            .endEnv()
            .build();

    assertThat(environment(container))
        .containsExactly(
            Map.entry("P_j", "jay"),
            Map.entry("P_k", "key"),
            Map.entry("A", "key"),
            Map.entry("B", "hidden"));
  }

  @Test
  void what_the_node_gives_comes_first_and_is_seen_by_references() throws Exception {
    var container =
        new ContainerBuilder()
            .addNewEnvFrom()
            .withNewConfigMapRef("cm", false)
            .endEnvFrom()
            .addNewEnv()
            .withName("URL")
            .withValue("http://$(WEB_SERVICE_HOST):$(WEB_SERVICE_PORT)/$(k)")
            .endEnv()
            .addNewEnv()
            .withName("WEB_SERVICE_PORT")
            .withValue("1$(WEB_SERVICE_PORT)")
            .endEnv()
            .build();
    var given = new java.util.LinkedHashMap<String, String>();
    given.put("WEB_SERVICE_HOST", "10.96.7.7");
    given.put("WEB_SERVICE_PORT", "80");
    given.put("k", "overridden");

    assertThat(
            new Environment(CONFIGS, "ns", new DownwardApi(POD, FACTS), given, FILES).of(container))
        .containsExactly(
            Map.entry("WEB_SERVICE_HOST", "10.96.7.7"),
            Map.entry("WEB_SERVICE_PORT", "180"),
            Map.entry("k", "key"),
            Map.entry("j", "jay"),
            Map.entry("URL", "http://10.96.7.7:80/key"));
  }

  @Test
  void reads_resources_of_another_container_of_the_pod() throws Exception {
    var own =
        new ContainerBuilder()
            .withName("own")
            .addNewEnv()
            .withName("MEM")
            .withNewValueFrom()
            .withNewResourceFieldRef()
            .withContainerName("other")
            .withResource("limits.memory")
            .endResourceFieldRef()
            .endValueFrom()
            .endEnv()
            .build();
    var other =
        new ContainerBuilder()
            .withName("other")
            .withNewResources()
            .addToLimits("memory", new Quantity("20000001"))
            .endResources()
            .build();
    var pod = new PodBuilder(POD).editSpec().withContainers(own, other).endSpec().build();
    var fields = new DownwardApi(pod, FACTS);

    assertThat(new Environment(CONFIGS, "ns", fields, Map.of(), FILES).of(own))
        .containsExactly(Map.entry("MEM", "20000001"));
  }

  @Test
  void reads_variables_from_a_file_in_a_volume() throws Exception {
    assertThat(environment(fromFile("A", false)))
        .containsExactly(Map.entry("V", "in vars conf/env"));
    assertThat(environment(fromFile("B", true))).isEmpty();
    assertThatThrownBy(() -> environment(fromFile("B", false)))
        .hasMessage("environment variable key \"B\" not found in file \"/vars/conf/env\"");
  }

  private static Container fromFile(String key, boolean optional) {
    return new ContainerBuilder()
        .addNewEnv()
        .withName("V")
        .withNewValueFrom()
        .withNewFileKeyRef(key, optional, "conf/env", "vars")
        .endValueFrom()
        .endEnv()
        .build();
  }

  @Test
  void names_what_is_missing_as_the_kubelet_does() {
    var noMap =
        new ContainerBuilder()
            .addNewEnv()
            .withName("A")
            .withNewValueFrom()
            .withNewConfigMapKeyRef("k", "none", false)
            .endValueFrom()
            .endEnv()
            .build();
    var noKey =
        new ContainerBuilder()
            .addNewEnv()
            .withName("A")
            .withNewValueFrom()
            .withNewConfigMapKeyRef("z", "cm", false)
            .endValueFrom()
            .endEnv()
            .build();

    assertThatThrownBy(() -> environment(noMap)).hasMessage("configmap \"none\" not found");
    assertThatThrownBy(() -> environment(noKey))
        .hasMessage("couldn't find key z in ConfigMap ns/cm");
  }

  @Test
  void shows_all_labels_and_annotations_as_sorted_lines() throws Exception {
    var fields = new DownwardApi(POD, FACTS);

    assertThat(fields.field("metadata.labels")).isEqualTo("app=\"x\"");
    assertThat(fields.field("metadata.annotations")).isEqualTo("note=\"say \\\"hi\\\"\"");
  }

  private static Map<String, String> environment(Container container)
      throws ConfigFailure, InterruptedException {
    return new Environment(CONFIGS, "ns", new DownwardApi(POD, FACTS), Map.of(), FILES)
        .of(container);
  }
}
