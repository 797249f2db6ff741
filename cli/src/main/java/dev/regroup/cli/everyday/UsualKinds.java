package dev.regroup.cli.everyday;

import java.util.ArrayList;
import java.util.List;

/** Kinds that people ask for, for shells that complete words. */
final class UsualKinds extends ArrayList<String> {

  private static final long serialVersionUID = 1;

  UsualKinds() {
    super(
        List.of(
            "pods",
            "jobsets",
            "jobs",
            "nodes",
            "services",
            "events",
            "configmaps",
            "secrets",
            "namespaces",
            "endpoints",
            "endpointslices",
            "persistentvolumeclaims",
            "persistentvolumes",
            "serviceaccounts",
            "roles",
            "rolebindings",
            "leases",
            "customresourcedefinitions",
            "priorityclasses",
            "resourcequotas"));
  }
}
