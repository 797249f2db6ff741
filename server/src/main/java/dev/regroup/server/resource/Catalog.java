package dev.regroup.server.resource;

import dev.regroup.api.jobset.JobSet;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.resource.ResourceType.Trait;
import dev.regroup.server.select.SelectableFields;
import dev.regroup.server.table.Tables;
import dev.regroup.server.wire.Verb;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The resources of a server. Immutable; {@link ServedKinds} holds the one that counts now.
 *
 * <p>{@code JobSet} is built in but served like the custom resource it is on clusters, so that
 * clients see no difference.
 */
public final class Catalog {

  /** A group with one version. */
  public record GroupVersion(String group, String version) {
    public String text() {
      return group.isEmpty() ? version : group + "/" + version;
    }
  }

  private static final List<Verb> CREATE = List.of(Verb.CREATE);
  private static final List<Verb> STREAM = List.of(Verb.CREATE, Verb.GET);
  private static final List<Verb> PASSED =
      List.of(Verb.CREATE, Verb.DELETE, Verb.GET, Verb.PATCH, Verb.UPDATE);
  private static final GroupVersionKind EVENT = core("Event");

  private final Map<GroupVersion, Map<String, ResourceType>> types = new LinkedHashMap<>();

  private Catalog(List<ResourceType> all) {
    for (var type : all) {
      types
          .computeIfAbsent(
              new GroupVersion(type.kind().group(), type.kind().version()),
              _ -> new LinkedHashMap<>())
          .put(type.names().plural(), type);
    }
  }

  public static Catalog standard() {
    return standard(JobSets.BUILT_IN);
  }

  public static Catalog standard(JobSets jobSets) {
    var all = new ArrayList<ResourceType>();
    addCluster(all);
    addDefinitions(all, jobSets);
    addPods(all);
    addConfiguration(all);
    addNetwork(all);
    addEvents(all);
    addWorkloads(all);
    if (jobSets == JobSets.BUILT_IN) {
      addJobSets(all);
    }
    addRights(all);
    addReviews(all);
    addLimits(all);
    return new Catalog(all);
  }

  /** These resources and one more; one of the same name is replaced. */
  public Catalog with(ResourceType type) {
    var more = new ArrayList<>(all());
    more.removeIf(other -> sameAddress(other, type));
    more.add(type);
    return new Catalog(more);
  }

  /** These resources without the one of this name. */
  public Catalog without(ResourceType type) {
    return new Catalog(all().stream().filter(other -> !sameAddress(other, type)).toList());
  }

  private static boolean sameAddress(ResourceType a, ResourceType b) {
    return a.kind().group().equals(b.kind().group())
        && a.kind().version().equals(b.kind().version())
        && a.names().plural().equals(b.names().plural());
  }

  public Optional<ResourceType> find(String group, String version, String plural) {
    return Optional.ofNullable(
        types.getOrDefault(new GroupVersion(group, version), Map.of()).get(plural));
  }

  public Optional<ResourceType> find(GroupVersionKind kind) {
    return types
        .getOrDefault(new GroupVersion(kind.group(), kind.version()), Map.of())
        .values()
        .stream()
        .filter(type -> type.kind().equals(kind))
        .findFirst();
  }

  public boolean hasGroup(String group) {
    return types.keySet().stream().anyMatch(one -> one.group().equals(group));
  }

  /** Whether a definition brought the group along. */
  public boolean isCustom(String group) {
    return all().stream()
        .anyMatch(type -> type.kind().group().equals(group) && type.has(Trait.CUSTOM));
  }

  public List<GroupVersion> groupVersions() {
    return List.copyOf(types.keySet());
  }

  public List<String> groups() {
    return types.keySet().stream().map(GroupVersion::group).distinct().toList();
  }

  /** The versions of a group, the preferred one first. */
  public List<GroupVersion> versions(String group) {
    return types.keySet().stream()
        .filter(one -> one.group().equals(group))
        .sorted(Comparator.comparing(GroupVersion::version, VersionOrder.BEST_FIRST))
        .toList();
  }

  public List<ResourceType> of(GroupVersion groupVersion) {
    return List.copyOf(types.getOrDefault(groupVersion, Map.of()).values());
  }

  public List<ResourceType> all() {
    return types.values().stream().flatMap(some -> some.values().stream()).toList();
  }

  private static void addCluster(List<ResourceType> all) {
    all.add(
        ResourceType.named(core("Namespace"), "namespaces")
            .cluster()
            .shortName("ns")
            .verbs(
                Verb.CREATE, Verb.DELETE, Verb.GET, Verb.LIST, Verb.PATCH, Verb.UPDATE, Verb.WATCH)
            .subresource("finalize", core("Namespace"), List.of(Verb.UPDATE), Act.FINALIZE)
            .status()
            .trait(Trait.IS_NAMESPACE)
            .strategy(new NamespaceStrategy())
            .selectable(SelectableFields.and("status.phase"))
            .table(Tables.NAMESPACES)
            .build());
    all.add(
        ResourceType.named(core("Node"), "nodes")
            .cluster()
            .shortName("no")
            .subresource("proxy", core("NodeProxyOptions"), PASSED, Act.PROXY)
            .status()
            .trait(Trait.USES_RESERVE)
            .selectable(
                SelectableFields.and("spec.unschedulable")
                    .withDefault("spec.unschedulable", "false"))
            .table(Tables.NODES)
            .build());
    all.add(
        ResourceType.named(
                new GroupVersionKind("scheduling.k8s.io", "v1", "PriorityClass"), "priorityclasses")
            .cluster()
            .shortName("pc")
            .table(Tables.PRIORITY_CLASSES)
            .strategy(new PriorityClassStrategy())
            .build());
    all.add(
        ResourceType.named(new GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")
            .trait(Trait.CREATE_ON_UPDATE)
            .trait(Trait.NEEDS_VERSION)
            .table(Tables.LEASES)
            .build());
  }

  private static void addDefinitions(List<ResourceType> all, JobSets jobSets) {
    var builtIn =
        jobSets == JobSets.BUILT_IN ? Set.of("jobsets.jobset.x-k8s.io") : Set.<String>of();
    all.add(
        ResourceType.named(
                new GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
                "customresourcedefinitions")
            .cluster()
            .shortName("crd")
            .shortName("crds")
            .category("api-extensions")
            .status()
            .trait(Trait.NEEDS_VERSION)
            .strategy(new DefinitionStrategy(builtIn))
            .table(Tables.CREATED_AT)
            .build());
  }

  private static void addPods(List<ResourceType> all) {
    all.add(
        ResourceType.named(core("Pod"), "pods")
            .shortName("po")
            .category("all")
            .subresource("attach", core("PodAttachOptions"), STREAM, Act.TALK)
            .subresource("binding", core("Binding"), CREATE, Act.BIND)
            .subresource(
                "ephemeralcontainers",
                core("Pod"),
                Subresource.READ_WRITE,
                Act.EPHEMERAL_CONTAINERS)
            .subresource(
                "eviction", new GroupVersionKind("policy", "v1", "Eviction"), CREATE, Act.EVICT)
            .subresource("exec", core("PodExecOptions"), STREAM, Act.TALK)
            .subresource("log", core("Pod"), List.of(Verb.GET), Act.LOG)
            .subresource("portforward", core("PodPortForwardOptions"), STREAM, Act.TALK)
            .subresource("proxy", core("PodProxyOptions"), PASSED, Act.PROXY)
            .subresource("resize", core("Pod"), Subresource.READ_WRITE, Act.RESIZE)
            .status()
            .trait(Trait.GATED_FIELDS)
            .strategy(new PodStrategy())
            .trait(Trait.RETURNS_DELETED)
            .selectable(
                SelectableFields.and(
                        "spec.nodeName",
                        "spec.restartPolicy",
                        "spec.schedulerName",
                        "spec.serviceAccountName",
                        "spec.hostNetwork",
                        "status.phase",
                        "status.podIP",
                        "status.podIPs",
                        "status.nominatedNodeName")
                    .withDefault("spec.hostNetwork", "false"))
            .table(Tables.PODS)
            .build());
    all.add(
        ResourceType.named(core("Binding"), "bindings")
            .verbs(Verb.CREATE)
            .strategy(new BindingStrategy())
            .build());
  }

  private static void addConfiguration(List<ResourceType> all) {
    all.add(
        ResourceType.named(core("ConfigMap"), "configmaps")
            .shortName("cm")
            .table(Tables.CONFIG_MAPS)
            .build());
    all.add(
        ResourceType.named(core("Secret"), "secrets")
            .selectable(SelectableFields.and("type"))
            .table(Tables.SECRETS)
            .build());
    all.add(
        ResourceType.named(core("ServiceAccount"), "serviceaccounts")
            .shortName("sa")
            .subresource(
                "token",
                new GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest"),
                CREATE,
                Act.TOKEN)
            .trait(Trait.RETURNS_DELETED)
            .build());
    all.add(
        ResourceType.named(core("PersistentVolumeClaim"), "persistentvolumeclaims")
            .shortName("pvc")
            .status()
            .trait(Trait.RETURNS_DELETED)
            .table(Tables.CLAIMS)
            .build());
  }

  private static void addNetwork(List<ResourceType> all) {
    all.add(
        ResourceType.named(core("Service"), "services")
            .shortName("svc")
            .category("all")
            .subresource("proxy", core("ServiceProxyOptions"), PASSED, Act.PROXY)
            .status()
            .trait(Trait.RETURNS_DELETED)
            .trait(Trait.CREATE_ON_UPDATE)
            .strategy(new ServiceStrategy())
            .selectable(SelectableFields.and("spec.clusterIP", "spec.type"))
            .table(Tables.SERVICES)
            .build());
    all.add(
        ResourceType.named(core("Endpoints"), "endpoints")
            .shortName("ep")
            .trait(Trait.CREATE_ON_UPDATE)
            .strategy(new EndpointsStrategy())
            .table(Tables.ENDPOINTS)
            .build());
    all.add(
        ResourceType.named(
                new GroupVersionKind("discovery.k8s.io", "v1", "EndpointSlice"), "endpointslices")
            .table(Tables.ENDPOINT_SLICES)
            .build());
  }

  private static void addEvents(List<ResourceType> all) {
    var events =
        ResourceType.named(EVENT, "events")
            .shortName("ev")
            .trait(Trait.CREATE_ON_UPDATE)
            .selectable(
                SelectableFields.and(
                        "involvedObject.kind",
                        "involvedObject.namespace",
                        "involvedObject.name",
                        "involvedObject.uid",
                        "involvedObject.apiVersion",
                        "involvedObject.resourceVersion",
                        "involvedObject.fieldPath",
                        "reason",
                        "reportingComponent",
                        "type")
                    .withAlias("source", "source.component"))
            .table(Tables.EVENTS)
            .build();
    all.add(events);
    var conversion = new EventConversion();
    all.add(
        ResourceType.named(new GroupVersionKind("events.k8s.io", "v1", "Event"), "events")
            .formOf(events, conversion)
            .shortName("ev")
            .trait(Trait.CREATE_ON_UPDATE)
            .selectable(
                SelectableFields.and(
                    "regarding.kind",
                    "regarding.namespace",
                    "regarding.name",
                    "regarding.uid",
                    "regarding.apiVersion",
                    "regarding.resourceVersion",
                    "regarding.fieldPath",
                    "reason",
                    "reportingController",
                    "type"))
            .table(Tables.of(Tables.EVENTS, conversion::toStored))
            .build());
  }

  private static void addWorkloads(List<ResourceType> all) {
    all.add(
        ResourceType.named(new GroupVersionKind("batch", "v1", "Job"), "jobs")
            .category("all")
            .status()
            .trait(Trait.GATED_FIELDS)
            .strategy(new JobStrategy())
            .selectable(
                SelectableFields.and()
                    .withAlias("status.successful", "status.succeeded")
                    .withTexts(SelectableFields.Texts.OF_JOB)
                    .withDefault("status.succeeded", "0"))
            .table(Tables.JOBS)
            .build());
  }

  private static void addJobSets(List<ResourceType> all) {
    all.add(
        ResourceType.named(
                new GroupVersionKind(JobSet.GROUP, JobSet.VERSION, JobSet.KIND), "jobsets")
            .status()
            .trait(Trait.CUSTOM)
            .trait(Trait.NEEDS_VERSION)
            .trait(Trait.GATED_FIELDS)
            .selectable(SelectableFields.and())
            .customVerbs()
            .table(Tables.JOB_SETS)
            .build());
  }

  private static void addRights(List<ResourceType> all) {
    all.add(
        ResourceType.named(rights("ClusterRole"), "clusterroles")
            .cluster()
            .trait(Trait.CREATE_ON_UPDATE)
            .table(Tables.CREATED_AT)
            .build());
    all.add(
        ResourceType.named(rights("ClusterRoleBinding"), "clusterrolebindings")
            .cluster()
            .trait(Trait.CREATE_ON_UPDATE)
            .table(Tables.ROLE_BINDINGS)
            .build());
    all.add(
        ResourceType.named(rights("Role"), "roles")
            .trait(Trait.CREATE_ON_UPDATE)
            .table(Tables.CREATED_AT)
            .build());
    all.add(
        ResourceType.named(rights("RoleBinding"), "rolebindings")
            .trait(Trait.CREATE_ON_UPDATE)
            .table(Tables.ROLE_BINDINGS)
            .build());
  }

  private static void addReviews(List<ResourceType> all) {
    var local = "LocalSubjectAccessReview";
    for (var kind :
        List.of(
            local, "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview")) {
      var review = review("authorization.k8s.io", kind);
      all.add(kind.equals(local) ? review.build() : review.cluster().build());
    }
    for (var kind : List.of("SelfSubjectReview", "TokenReview")) {
      all.add(review("authentication.k8s.io", kind).cluster().build());
    }
  }

  private static void addLimits(List<ResourceType> all) {
    all.add(
        ResourceType.named(core("ResourceQuota"), "resourcequotas")
            .shortName("quota")
            .status()
            .trait(Trait.RETURNS_DELETED)
            .table(Tables.QUOTAS)
            .build());
    all.add(
        registered("ValidatingAdmissionPolicy", "validatingadmissionpolicies")
            .status()
            .table(Tables.POLICIES)
            .build());
    all.add(
        registered("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings")
            .table(Tables.POLICY_BINDINGS)
            .build());
    for (var kind : List.of("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")) {
      all.add(registered(kind, kind.toLowerCase(Locale.ROOT) + "s").table(Tables.WEBHOOKS).build());
    }
  }

  private static ResourceType.Builder registered(String kind, String plural) {
    return ResourceType.named(
            new GroupVersionKind("admissionregistration.k8s.io", "v1", kind), plural)
        .cluster()
        .trait(Trait.NEEDS_VERSION)
        .category("api-extensions");
  }

  private static ResourceType.Builder review(String group, String kind) {
    var plural = kind.toLowerCase(Locale.ROOT) + "s";
    return ResourceType.named(new GroupVersionKind(group, "v1", kind), plural)
        .verbs(Verb.CREATE)
        .strategy(new ReviewStrategy());
  }

  private static GroupVersionKind rights(String kind) {
    return new GroupVersionKind("rbac.authorization.k8s.io", "v1", kind);
  }

  private static GroupVersionKind core(String kind) {
    return new GroupVersionKind("", "v1", kind);
  }
}
