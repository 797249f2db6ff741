package dev.regroup.client;

import java.util.Objects;

/**
 * Which objects of a resource are meant.
 *
 * @param namespace empty for all
 * @param labelSelector as kubectl takes it; empty for all
 * @param fieldSelector such as {@code metadata.name=x}; empty for all
 * @param limit the most objects in one page; 0 for no limit
 * @param continueToken of the page before; empty for the first
 */
public record ListQuery(
    String namespace, String labelSelector, String fieldSelector, int limit, String continueToken) {

  public static final ListQuery ALL = new ListQuery("", "", "", 0, "");

  public ListQuery {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(labelSelector, "labelSelector");
    Objects.requireNonNull(fieldSelector, "fieldSelector");
    Objects.requireNonNull(continueToken, "continueToken");
  }

  public static ListQuery in(String namespace) {
    return new ListQuery(namespace, "", "", 0, "");
  }

  public ListQuery withLabels(String selector) {
    return new ListQuery(namespace, selector, fieldSelector, limit, continueToken);
  }

  public ListQuery withFields(String selector) {
    return new ListQuery(namespace, labelSelector, selector, limit, continueToken);
  }

  public ListQuery withLimit(int most) {
    return new ListQuery(namespace, labelSelector, fieldSelector, most, continueToken);
  }

  public ListQuery after(String token) {
    return new ListQuery(namespace, labelSelector, fieldSelector, limit, token);
  }

  public QueryString query() {
    return new QueryString()
        .add("labelSelector", labelSelector)
        .add("fieldSelector", fieldSelector)
        .add("limit", limit == 0 ? "" : Integer.toString(limit))
        .add("continue", continueToken);
  }
}
