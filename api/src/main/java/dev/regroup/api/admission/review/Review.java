package dev.regroup.api.admission.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One write: the wanted object and, for updates, the stored one. */
public record Review(
    GroupVersionKind kind, Operation operation, ObjectNode object, @Nullable ObjectNode old) {

  /** Accepts the object, or refuses it with all its errors (422). */
  public Admitted judge(ObjectNode result, List<String> warnings, List<FieldError> errors) {
    return errors.isEmpty()
        ? new Admitted(result, warnings, errors, null)
        : new Admitted(
            result,
            warnings,
            errors,
            RefusalStatus.invalid(kind, Trees.text(result, "metadata", "name"), errors));
  }
}
