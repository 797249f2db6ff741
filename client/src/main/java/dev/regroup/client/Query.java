package dev.regroup.client;

/** Builds the query of a request; what has no value is left out. */
final class Query {

  private final StringBuilder text = new StringBuilder();

  Query add(String name, String value) {
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
