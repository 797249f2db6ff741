package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notFound;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks of the places where a container mounts volumes and sees block devices. */
public final class MountValidation {

  private static final List<String> PROPAGATIONS =
      List.of("Bidirectional", "HostToContainer", "None");
  private static final List<String> READ_ONLY = List.of("Disabled", "Enabled", "IfPossible");

  private final Map<String, ObjectNode> volumes;
  private final List<FieldError> errors;

  public MountValidation(Map<String, ObjectNode> volumes, List<FieldError> errors) {
    this.volumes = volumes;
    this.errors = errors;
  }

  void check(JsonNode container, FieldPath containerPath) {
    mounts(container, containerPath.field("volumeMounts"));
    devices(container, containerPath.field("volumeDevices"));
  }

  private void mounts(JsonNode container, FieldPath path) {
    var places = new HashSet<String>();
    var mounts = Trees.objects(container, "volumeMounts");
    Set<String> devices = values(container, "volumeDevices", "name");
    Set<String> devicePaths = values(container, "volumeDevices", "devicePath");
    for (int i = 0; i < mounts.size(); i++) {
      ObjectNode mount = mounts.get(i);
      FieldPath at = path.index(i);
      String name = Trees.text(mount, "name");
      String place = Trees.text(mount, "mountPath");
      if (name.isEmpty()) {
        errors.add(required(at.field("name"), ""));
      }
      if (!volumes.containsKey(name)) {
        errors.add(notFound(at.field("name"), name));
      }
      if (place.isEmpty()) {
        errors.add(required(at.field("mountPath"), ""));
      }
      if (!places.add(place)) {
        errors.add(invalid(at.field("mountPath"), place, "must be unique"));
      }
      if (devices.contains(name)) {
        errors.add(invalid(at.field("name"), name, "must not already exist in volumeDevices"));
      }
      if (devicePaths.contains(place)) {
        errors.add(
            invalid(
                at.field("mountPath"), place, "must not already exist as a path in volumeDevices"));
      }
      subPaths(mount, path, at);
      // These two are reported at the list, not at the mount.
      propagation(container, mount, path.field("mountPropagation"));
      recursiveReadOnly(mount, path.field("recursiveReadOnly"));
    }
  }

  private static Set<String> values(JsonNode container, String list, String field) {
    return Trees.objects(container, list).stream()
        .map(item -> Trees.text(item, field))
        .collect(Collectors.toSet());
  }

  private void subPaths(ObjectNode mount, FieldPath list, FieldPath at) {
    String subPath = Trees.text(mount, "subPath");
    if (!subPath.isEmpty()) {
      FilePaths.relative(subPath, list.field("subPath"), errors);
    }
    String expression = Trees.text(mount, "subPathExpr");
    if (expression.isEmpty()) {
      return;
    }
    if (!subPath.isEmpty()) {
      errors.add(
          invalid(
              at.field("subPathExpr"),
              expression,
              "subPathExpr and subPath are mutually exclusive"));
    }
    FilePaths.relative(expression, list.field("subPathExpr"), errors);
  }

  private void propagation(JsonNode container, ObjectNode mount, FieldPath path) {
    var mode = Trees.textIfPresent(mount, "mountPropagation");
    if (mode.isEmpty()) {
      return;
    }
    if (!PROPAGATIONS.contains(mode.get())) {
      errors.add(notSupported(path, mode.get(), PROPAGATIONS));
    }
    boolean privileged = Trees.isTrue(container, "securityContext", "privileged");
    if (mode.get().equals("Bidirectional") && !privileged) {
      errors.add(
          forbidden(
              path, "Bidirectional mount propagation is available only to privileged containers"));
    }
  }

  private void recursiveReadOnly(ObjectNode mount, FieldPath path) {
    var mode = Trees.textIfPresent(mount, "recursiveReadOnly");
    if (mode.isEmpty() || mode.get().equals("Disabled")) {
      return;
    }
    if (!READ_ONLY.contains(mode.get())) {
      errors.add(notSupported(path, mode.get(), READ_ONLY));
      return;
    }
    if (!Trees.isTrue(mount, "readOnly")) {
      errors.add(forbidden(path, "may only be specified when readOnly is true"));
    }
    String propagation = Trees.text(mount, "mountPropagation");
    if (!propagation.isEmpty() && !propagation.equals("None")) {
      errors.add(
          forbidden(path, "may only be specified when mountPropagation is None or not specified"));
    }
  }

  private void devices(JsonNode container, FieldPath path) {
    var names = new HashSet<String>();
    var places = new HashSet<String>();
    Set<String> mounts = values(container, "volumeMounts", "name");
    Set<String> mountPaths = values(container, "volumeMounts", "mountPath");
    var devices = Trees.objects(container, "volumeDevices");
    for (int i = 0; i < devices.size(); i++) {
      FieldPath at = path.index(i);
      String name = Trees.text(devices.get(i), "name");
      String place = Trees.text(devices.get(i), "devicePath");
      deviceName(name, names, at.field("name"));
      FieldPath placeAt = at.field("devicePath");
      if (place.isEmpty()) {
        errors.add(required(placeAt, ""));
      }
      if (places.contains(place)) {
        errors.add(invalid(placeAt, place, "must be unique"));
      }
      if (FilePaths.hasBackstep(place)) {
        errors.add(invalid(placeAt, place, "can not contain backsteps ('..')"));
      } else {
        places.add(place);
      }
      if (mounts.contains(name)) {
        errors.add(invalid(at.field("name"), name, "must not already exist in volumeMounts"));
      }
      if (mountPaths.contains(place)) {
        errors.add(invalid(placeAt, place, "must not already exist as a path in volumeMounts"));
      }
    }
  }

  private void deviceName(String name, Set<String> names, FieldPath path) {
    if (name.isEmpty()) {
      errors.add(required(path, ""));
    } else if (!names.add(name)) {
      errors.add(invalid(path, name, "must be unique"));
    }
    ObjectNode volume = volumes.get(name);
    if (volume == null) {
      errors.add(notFound(path, name));
    } else if (!Trees.has(volume, "persistentVolumeClaim") && !Trees.has(volume, "ephemeral")) {
      errors.add(
          invalid(
              path,
              name,
              "can only use volume source type of PersistentVolumeClaim or Ephemeral for block"
                  + " mode"));
    }
  }
}
