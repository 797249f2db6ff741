package dev.regroup.api.schema;

/** Names a kind of object; the core group is the empty text. */
public record GroupVersionKind(String group, String version, String kind) {

  public static GroupVersionKind of(String apiVersion, String kind) {
    int slash = apiVersion.indexOf('/');
    return slash < 0
        ? new GroupVersionKind("", apiVersion, kind)
        : new GroupVersionKind(
            apiVersion.substring(0, slash), apiVersion.substring(slash + 1), kind);
  }

  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }
}
