package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.invalid;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.List;

/** Checks of file names in a spec: none may leave the place it belongs to. */
public final class FilePaths {

  private FilePaths() {}

  static boolean hasBackstep(String file) {
    return List.of(file.split("/", -1)).contains("..");
  }

  public static void noBacksteps(String file, FieldPath path, List<FieldError> errors) {
    if (hasBackstep(file)) {
      errors.add(invalid(path, file, "must not contain '..'"));
    }
  }

  /** A path below some folder. */
  public static void relative(String file, FieldPath path, List<FieldError> errors) {
    if (file.startsWith("/")) {
      errors.add(invalid(path, file, "must be a relative path"));
    }
    noBacksteps(file, path, errors);
  }

  /** A file the node writes: names that begin with two dots are its own. */
  public static void inVolume(String file, FieldPath path, List<FieldError> errors) {
    relative(file, path, errors);
    if (file.startsWith("..") && !file.startsWith("../")) {
      errors.add(invalid(path, file, "must not start with '..'"));
    }
  }
}
