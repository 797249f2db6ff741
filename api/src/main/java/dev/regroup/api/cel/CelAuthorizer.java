package dev.regroup.api.cel;

/** Port: the rights that expressions may ask for with {@code authorizer}. */
public interface CelAuthorizer {

  /**
   * What somebody might want to do; names that do not apply are empty.
   *
   * @param account {@code namespace:name} of a service account; empty for the one who sent the
   *     request
   */
  record Question(
      String account,
      String verb,
      String path,
      String group,
      String resource,
      String subresource,
      String namespace,
      String name) {}

  /** What was decided. */
  record Answer(boolean allowed, String reason) {}

  Answer ask(Question question);
}
