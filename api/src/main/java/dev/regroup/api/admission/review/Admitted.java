package dev.regroup.api.admission.review;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of admission, or of one link of it. Without a refusal {@code object} is what must be
 * stored. With one, it is the complete {@code Status} to answer with ({@code code} inside); {@code
 * errors} are the same facts in structured form for {@code regroup check}. Warnings accompany
 * either, as header texts without the {@code 299 - } part.
 */
public record Admitted(
    ObjectNode object,
    List<String> warnings,
    List<FieldError> errors,
    @Nullable ObjectNode refusalStatus) {

  public Admitted {
    warnings = List.copyOf(warnings);
    errors = List.copyOf(errors);
  }

  /** The same after what an earlier link had to say. */
  public Admitted after(Admitted earlier) {
    if (earlier.warnings().isEmpty()) {
      return this;
    }
    var all = new ArrayList<>(earlier.warnings());
    all.addAll(warnings);
    return new Admitted(object, all, errors, refusalStatus);
  }

  public Optional<ObjectNode> refusal() {
    return Optional.ofNullable(refusalStatus);
  }
}
