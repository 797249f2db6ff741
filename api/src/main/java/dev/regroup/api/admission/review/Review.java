package dev.regroup.api.admission.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One write: the wanted object and, for updates, the stored one.
 *
 * @param found what is known to be wrong already; it is reported together with the rest
 * @param request what else the request says
 */
public record Review(
    GroupVersionKind kind,
    Operation operation,
    ObjectNode object,
    @Nullable ObjectNode old,
    List<FieldError> found,
    RequestFacts request) {

  public Review {
    found = List.copyOf(found);
  }

  public Review(
      GroupVersionKind kind, Operation operation, ObjectNode object, @Nullable ObjectNode old) {
    this(kind, operation, object, old, List.of(), RequestFacts.NONE);
  }

  public boolean isOf(String group, String name) {
    return kind.group().equals(group) && kind.kind().equals(name);
  }

  /**
   * Whether this part of the object is the stored one itself and not a copy: then nobody may change
   * it, and what is true of all that is stored is true of it.
   */
  @SuppressWarnings("ReferenceEquality") // an equal part is somebody's own
  public boolean keeps(String part) {
    return old != null && object.has(part) && object.get(part) == old.get(part);
  }

  /** The same write as an earlier link left it. */
  public Review after(Admitted earlier) {
    return new Review(kind, operation, earlier.object(), old, earlier.errors(), request);
  }

  /** Nothing to add. */
  public Admitted unchanged() {
    return passed(List.of(), found);
  }

  /**
   * The object as it is now goes on.
   *
   * @param errors all that is found by now; whoever judges the object reports them
   */
  public Admitted passed(List<String> warnings, List<FieldError> errors) {
    return new Admitted(object, warnings, errors, null);
  }

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
