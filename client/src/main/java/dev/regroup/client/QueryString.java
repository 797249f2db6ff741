package dev.regroup.client;

/** Builds the query of a request; what has no value is left out. */
public final class QueryString {

  private final StringBuilder text = new StringBuilder();

  public QueryString add(String name, String value) {
    if (!value.isEmpty()) {
      text.append(text.isEmpty() ? "" : "&")
          .append(name)
          .append('=')
          .append(Resource.encode(value));
    }
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
