package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.invalid;

import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import java.util.List;

/** Checks of file names in a spec: none may leave the place it belongs to. */
final class FilePaths {

  private FilePaths() {}

  static boolean hasBackstep(String file) {
    return List.of(file.split("/", -1)).contains("..");
  }

  static void noBacksteps(String file, FieldPath path, List<FieldError> errors) {
    if (hasBackstep(file)) {
      errors.add(invalid(path, file, "must not contain '..'"));
    }
  }

  /** A path below some folder. */
  static void relative(String file, FieldPath path, List<FieldError> errors) {
    if (file.startsWith("/")) {
      errors.add(invalid(path, file, "must be a relative path"));
    }
    noBacksteps(file, path, errors);
  }

  /** A file the node writes: names that begin with two dots are its own. */
  static void inVolume(String file, FieldPath path, List<FieldError> errors) {
    relative(file, path, errors);
    if (file.startsWith("..") && !file.startsWith("../")) {
      errors.add(invalid(path, file, "must not start with '..'"));
    }
  }
}
