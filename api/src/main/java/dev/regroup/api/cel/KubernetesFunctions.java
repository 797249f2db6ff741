package dev.regroup.api.cel;

import java.util.List;

/**
 * The functions that Kubernetes adds to the language. Not here, and so refused: {@code image},
 * {@code fieldSelector} and {@code labelSelector} of the authorizer.
 */
final class KubernetesFunctions {

  static final List<FunctionTable> ALL =
      List.of(
          TextFunctions.table(),
          ListFunctions.table(),
          UrlFunctions.table(),
          AddressFunctions.table(),
          QuantityFunctions.table(),
          SemverFunctions.table(),
          FormatFunctions.table(),
          AuthorizerFunctions.table());

  private KubernetesFunctions() {}
}
