package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local run has what is in the files and what every new cluster has, and nothing else. */
class ClosedWorldTest {

  @TempDir Path directory;

  @Test
  void what_nobody_has_is_an_error_that_names_field_value_and_what_to_do() throws IOException {
    var run =
        check(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: team}
            spec:
              serviceAccountName: robot
              priorityClassName: urgent
              containers:
              - name: c
                image: i
                command: [x]
                envFrom: [{configMapRef: {name: settings}}]
                env:
                - {name: A, valueFrom: {secretKeyRef: {name: token, key: k}}}
              volumes:
              - {name: a, configMap: {name: files}}
              - {name: b, secret: {secretName: keys}}
              - {name: c, persistentVolumeClaim: {claimName: data}}
              - {name: d, projected: {sources: [{configMap: {name: more}}]}}
            """);

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out().lines())
        .containsExactly(
            "m.yaml:3:21: error: metadata.namespace: Namespace \"team\" is in no file and not in"
                + " a new cluster (add a Namespace of this name to the files)",
            error("5:3", "serviceAccountName", "ServiceAccount", "robot"),
            error("6:3", "priorityClassName", "PriorityClass", "urgent"),
            error("11:31", "containers[0].envFrom[0].configMapRef.name", "ConfigMap", "settings"),
            error("13:44", "containers[0].env[0].valueFrom.secretKeyRef.name", "Secret", "token"),
            error("15:27", "volumes[0].configMap.name", "ConfigMap", "files"),
            error("16:24", "volumes[1].secret.secretName", "Secret", "keys"),
            error(
                "17:39",
                "volumes[2].persistentVolumeClaim.claimName",
                "PersistentVolumeClaim",
                "data"),
            error("18:50", "volumes[3].projected.sources[0].configMap.name", "ConfigMap", "more"));
  }

  @Test
  void what_a_file_or_every_cluster_has_and_what_is_optional_is_fine() throws IOException {
    var run =
        check(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: kube-system}
            spec:
              serviceAccountName: default
              priorityClassName: system-node-critical
              containers:
              - name: c
                image: i
                command: [x]
                envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: none, optional: true}}]
                env:
                - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: k}}}
              volumes:
              - {name: a, configMap: {name: none, optional: true}}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings, namespace: kube-system}
            data: {k: v}
            """);

    assertThat(run.out()).doesNotContain("error");
    assertThat(run.code()).isZero();
  }

  @Test
  void a_name_that_is_nearly_right_and_a_key_that_is_missing_are_told() throws IOException {
    var run =
        check(
            """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: j}
            spec:
              template:
                spec:
                  restartPolicy: Never
                  containers:
                  - name: c
                    image: i
                    command: [x]
                    envFrom: [{configMapRef: {name: setings}}]
                    env:
                    - {name: A, valueFrom: {configMapKeyRef: {name: settings, key: kay}}}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: settings}
            data: {key: v}
            """);

    assertThat(run.out())
        .contains("(did you mean \"settings\"?)")
        .contains("ConfigMap \"settings\" has no key \"kay\" (did you mean \"key\"?)");
  }

  @Test
  void a_cluster_may_have_what_the_files_do_not() throws IOException {
    var run =
        CommandRun.on(
            directory,
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: team}
            spec:
              serviceAccountName: robot
              containers: [{name: c, image: i}]
            """,
            "check",
            "--target=kubernetes:1.36");

    assertThat(run.code()).as(run.out()).isZero();
  }

  private CommandRun check(String manifest) throws IOException {
    return CommandRun.on(directory, manifest, "check");
  }

  private static String error(String place, String field, String kind, String name) {
    return "m.yaml:%s: error: spec.%s: %s \"%s\" is in no file and not in a new cluster (add a %s of this name to the files)"
        .formatted(place, field, kind, name, kind);
  }
}
