package dev.regroup.cluster;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one cluster of this run: started for the first, taken away after the last. */
final class SharedCluster implements BeforeAllCallback, ParameterResolver {

  /** Here and not with the cluster: a parameter that is missing fails a test, it skips none. */
  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    Needs.require();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == RealCluster.class;
  }

  @Override
  public RealCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(SharedCluster.class))
        .computeIfAbsent("cluster", _ -> started(), RealCluster.class);
  }

  private static RealCluster started() {
    try {
      return RealCluster.start();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the cluster did not start", e);
    }
  }
}
