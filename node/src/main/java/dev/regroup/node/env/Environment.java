package dev.regroup.node.env;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.FileKeySelector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The environment of one container, evaluated anew at every start (SEQ-30): first what the node
 * gives, such as {@link ServiceVariables}, then {@code envFrom}, then {@code env} in order; later
 * ones win. A reference {@code $(NAME)} inside {@code env} sees what is defined before it, as with
 * the kubelet; command and arguments see everything.
 */
public final class Environment {

  private final Configs configs;
  private final String namespace;
  private final DownwardApi fields;
  private final Map<String, String> given;
  private final Files files;

  /** The files of variables that init containers left in the pod's volumes. */
  public interface Files {

    /** Where the file is on this machine. */
    String place(String volume, String path) throws ConfigFailure;

    String read(String volume, String path) throws ConfigFailure;
  }

  public Environment(
      Configs configs,
      String namespace,
      DownwardApi fields,
      Map<String, String> given,
      Files files) {
    this.configs = configs;
    this.namespace = namespace;
    this.fields = fields;
    this.given = given;
    this.files = files;
  }

  public Map<String, String> of(Container container) throws ConfigFailure, InterruptedException {
    var all = new LinkedHashMap<>(given);
    for (var source : container.getEnvFrom()) {
      addAll(source, all);
    }
    for (var variable : container.getEnv()) {
      var value = value(container, variable, all);
      if (value.isPresent()) {
        all.put(variable.getName(), value.get());
      }
    }
    return all;
  }

  private void addAll(EnvFromSource source, Map<String, String> all)
      throws ConfigFailure, InterruptedException {
    var prefix = source.getPrefix() == null ? "" : source.getPrefix();
    Map<String, byte[]> data = Map.of();
    if (source.getConfigMapRef() != null) {
      var ref = source.getConfigMapRef();
      data =
          present(
              configs.configMap(namespace, ref.getName()),
              ref.getOptional(),
              "configmap",
              ref.getName());
    } else if (source.getSecretRef() != null) {
      var ref = source.getSecretRef();
      data =
          present(
              configs.secret(namespace, ref.getName()), ref.getOptional(), "secret", ref.getName());
    }
    new TreeMap<>(data).forEach((key, value) -> all.put(prefix + key, new String(value, UTF_8)));
  }

  private static Map<String, byte[]> present(
      Optional<Map<String, byte[]>> data, Boolean optional, String kind, String name)
      throws ConfigFailure {
    if (data.isPresent()) {
      return data.get();
    }
    if (Boolean.TRUE.equals(optional)) {
      return Map.of();
    }
    throw new ConfigFailure(kind + " \"" + name + "\" not found");
  }

  /** Empty when an optional source is missing: the variable is then not set at all. */
  private Optional<String> value(Container container, EnvVar variable, Map<String, String> defined)
      throws ConfigFailure, InterruptedException {
    var source = variable.getValueFrom();
    if (source == null) {
      var text = variable.getValue() == null ? "" : variable.getValue();
      return Optional.of(Expansion.expand(text, defined));
    }
    return from(container, source);
  }

  private Optional<String> from(Container container, EnvVarSource source)
      throws ConfigFailure, InterruptedException {
    if (source.getFieldRef() != null) {
      return Optional.of(fields.field(source.getFieldRef().getFieldPath()));
    }
    if (source.getResourceFieldRef() != null) {
      return Optional.of(fields.resource(container, source.getResourceFieldRef()));
    }
    if (source.getConfigMapKeyRef() != null) {
      var ref = source.getConfigMapKeyRef();
      var data = configs.configMap(namespace, ref.getName());
      return key(data, ref.getKey(), ref.getOptional(), "configmap", "ConfigMap", ref.getName());
    }
    if (source.getSecretKeyRef() != null) {
      var ref = source.getSecretKeyRef();
      var data = configs.secret(namespace, ref.getName());
      return key(data, ref.getKey(), ref.getOptional(), "secret", "Secret", ref.getName());
    }
    if (source.getFileKeyRef() != null) {
      return inFile(source.getFileKeyRef());
    }
    throw new ConfigFailure("this node cannot read variables from this kind of source");
  }

  private Optional<String> inFile(FileKeySelector ref) throws ConfigFailure {
    var text = files.read(ref.getVolumeName(), ref.getPath());
    var value = EnvFile.value(text, ref.getKey());
    if (value.isEmpty() && !Boolean.TRUE.equals(ref.getOptional())) {
      throw new ConfigFailure(
          "environment variable key \"%s\" not found in file \"%s\""
              .formatted(ref.getKey(), files.place(ref.getVolumeName(), ref.getPath())));
    }
    return value;
  }

  private Optional<String> key(
      Optional<Map<String, byte[]>> data,
      String key,
      Boolean optional,
      String word,
      String kind,
      String name)
      throws ConfigFailure {
    boolean mayMiss = Boolean.TRUE.equals(optional);
    if (data.isEmpty()) {
      if (mayMiss) {
        return Optional.empty();
      }
      throw new ConfigFailure(word + " \"" + name + "\" not found");
    }
    var value = data.get().get(key);
    if (value != null) {
      return Optional.of(new String(value, UTF_8));
    }
    if (mayMiss) {
      return Optional.empty();
    }
    throw new ConfigFailure(
        "couldn't find key " + key + " in " + kind + " " + namespace + "/" + name);
  }
}
