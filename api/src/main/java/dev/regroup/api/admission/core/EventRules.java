package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What both kinds of events must be: about an object of their own namespace, and of a size. */
final class EventRules implements KindRules {

  private static final int SHORT = 128;
  private static final int NOTE = 1024;

  @Override
  public List<FieldError> check(ObjectNode event, @Nullable ObjectNode old) {
    return shared(event, "involvedObject", "reportingComponent", "message");
  }

  /**
   * The checks of both groups.
   *
   * @param about, reporter, text how this group calls the object the event is about, who reports it
   *     and its text; a complaint uses the names of the core group but for the reporter
   */
  static List<FieldError> shared(ObjectNode event, String about, String reporter, String text) {
    var errors = new ArrayList<FieldError>();
    boolean isNew = Trees.has(event, "eventTime");
    String namespace = Trees.text(event, "metadata", "namespace");
    String other = Trees.text(event, about, "namespace");
    boolean clusterWide =
        other.isEmpty()
            && (namespace.equals("default") || (isNew && namespace.equals("kube-system")));
    boolean elsewhere = !clusterWide && (other.isEmpty() || !isNew) && !other.equals(namespace);
    if (elsewhere) {
      errors.add(
          invalid(
              FieldPath.of("involvedObject", "namespace"),
              other,
              "does not match event.namespace"));
    }
    if (isNew) {
      String who = Trees.text(event, reporter);
      if (who.isEmpty()) {
        errors.add(required(FieldPath.of(reporter), ""));
      }
      NameRules.qualified(who)
          .forEach(problem -> errors.add(invalid(FieldPath.of(reporter), who, problem)));
      for (String field : List.of("reportingInstance", "action", "reason")) {
        limited(event, field, errors);
      }
      tooLong(Trees.text(event, text), "message", NOTE, errors);
    }
    return errors;
  }

  private static void limited(ObjectNode event, String field, List<FieldError> errors) {
    String value = Trees.text(event, field);
    if (value.isEmpty()) {
      errors.add(required(FieldPath.of(field), ""));
    }
    tooLong(value, field, SHORT, errors);
  }

  private static void tooLong(String value, String field, int most, List<FieldError> errors) {
    if (value.length() > most) {
      errors.add(
          invalid(FieldPath.of(field), "", "can have at most %d characters".formatted(most)));
    }
  }

  @Override
  public void fill(ObjectNode event) {
    Trees.child(event, "involvedObject");
    Trees.child(event, "source");
    if (!Trees.has(event, "reportingComponent")) {
      event.put("reportingComponent", "");
    }
    if (!Trees.has(event, "reportingInstance")) {
      event.put("reportingInstance", "");
    }
  }
}
