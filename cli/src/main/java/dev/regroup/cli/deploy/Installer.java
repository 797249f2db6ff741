package dev.regroup.cli.deploy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetDefinition;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.YamlText;
import dev.regroup.client.Kinds;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Puts Regroup into a cluster and takes it out again. Installing twice changes nothing; installing
 * with other values changes what differs and removes what is no longer wanted. The definition of
 * JobSet is made or brought up to date where it is Regroup's; one that somebody else made stays,
 * and then only JobSets that name Regroup are run.
 */
public final class Installer {

  private static final String MANAGE = "manage";
  private static final Duration LOOK = Duration.ofMillis(500);

  /** What a cluster may lack; the rest works without. */
  private static final Set<String> OPTIONAL =
      Set.of("FlowSchema", "PriorityLevelConfiguration", "NetworkPolicy", "PodDisruptionBudget");

  private final ClusterObjects cluster;
  private final InstallSettings settings;
  private final Consumer<String> results;
  private final Consumer<String> progress;

  /**
   * @param results one line for each object that was made or removed
   * @param progress what is waited for, and what to know
   */
  public Installer(
      Transport transport,
      InstallSettings settings,
      Consumer<String> results,
      Consumer<String> progress) {
    this.cluster = new ClusterObjects(transport);
    this.settings = settings;
    this.results = results;
    this.progress = progress;
  }

  /** Everything that would be applied, as documents. */
  public static String yaml(InstallSettings settings) {
    var all = new ArrayList<ObjectNode>();
    all.add(Chart.definition());
    all.add(settings.chart().namespaceObject());
    all.addAll(settings.chart().objects());
    var text = new StringBuilder();
    all.forEach(object -> text.append("---\n").append(YamlText.of(object)));
    return text.toString();
  }

  public void install() throws CliFailure, InterruptedException {
    boolean ownDefinition = define();
    var chosen = settings.values().deepCopy();
    if (!ownDefinition && !chosen.has(MANAGE)) {
      chosen.put(MANAGE, "marked");
    }
    var chart = new Chart(settings.namespace(), chosen);
    awaitGoneIfLeaving(chart.namespaceObject());
    if (cluster.stored(chart.namespaceObject()).isEmpty()) {
      apply(chart.namespaceObject());
    }
    var wanted = chart.objects();
    for (var object : wanted) {
      if (cluster.serves(object) || !OPTIONAL.contains(Trees.text(object, "kind"))) {
        apply(object);
      } else {
        progress.accept(ClusterObjects.name(object) + " is left out: no such kind here");
      }
    }
    removeUnwanted(wanted);
    awaitReady(wanted);
  }

  /**
   * Removes exactly what was installed; the definition, and with it all JobSets, only when asked.
   */
  public void uninstall(boolean purge) throws CliFailure, InterruptedException {
    for (var object : everything().reversed()) { // what calls the controller goes first
      remove(object);
    }
    for (var resource : List.of(Kinds.ROLE_BINDINGS, Kinds.SERVICE_ACCOUNTS, Kinds.SECRETS)) {
      for (var object : cluster.ours(resource)) { // what the controller has made
        cluster.delete(resource, object);
        results.accept("%s/%s removed".formatted(resource.plural(), name(object)));
      }
    }
    remove(lease());
    var namespace = settings.chart().namespaceObject();
    if (purge) {
      purge();
    } else if (cluster.stored(Chart.definition()).filter(ClusterObjects::isOurs).isPresent()) {
      progress.accept(
          "JobSets and their definition stay (--purge --yes removes them and all their pods)");
    }
    remove(namespace);
  }

  private void purge() throws CliFailure, InterruptedException {
    var definition = Chart.definition();
    var there = cluster.stored(definition);
    if (there.isPresent() && !ClusterObjects.isOurs(there.get())) {
      progress.accept("the JobSet definition is not Regroup's and stays");
      return;
    }
    remove(definition);
  }

  private void remove(ObjectNode object) throws CliFailure, InterruptedException {
    if (cluster.remove(object)) {
      results.accept(ClusterObjects.name(object) + " removed");
    }
  }

  private void apply(ObjectNode object) throws CliFailure, InterruptedException {
    var before = cluster.stored(object).map(Installer::version).orElse("");
    var after = version(cluster.apply(object));
    String what = before.isEmpty() ? "created" : before.equals(after) ? "unchanged" : "configured";
    results.accept(ClusterObjects.name(object) + " " + what);
  }

  private static String version(ObjectNode object) {
    return Trees.text(object, "metadata", "resourceVersion");
  }

  private static String name(ObjectNode object) {
    return Trees.text(object, "metadata", "namespace")
        + "/"
        + Trees.text(object, "metadata", "name");
  }

  /** Somebody has just uninstalled it: nothing can be made there before it is gone. */
  private void awaitGoneIfLeaving(ObjectNode object) throws CliFailure, InterruptedException {
    await(
        "the old " + ClusterObjects.name(object),
        () ->
            cluster
                .stored(object)
                .filter(old -> Trees.has(old, "metadata", "deletionTimestamp"))
                .map(_ -> "is being removed")
                .orElse(""));
  }

  /** Whether the definition is Regroup's. */
  private boolean define() throws CliFailure, InterruptedException {
    var definition = Chart.definition();
    awaitGoneIfLeaving(definition);
    var there = cluster.stored(definition);
    if (there.isPresent() && !ClusterObjects.isOurs(there.get())) {
      progress.accept(
          "the JobSet definition of this cluster is not Regroup's and stays as it is: only JobSets"
              + " with spec.managedBy regroup.dev/jobset-controller are run");
      return false;
    }
    apply(definition);
    await(
        "the definition of JobSet",
        () ->
            cluster
                .stored(definition)
                .filter(Installer::established)
                .map(_ -> "")
                .orElse("is not established yet"));
    return true;
  }

  private static boolean established(ObjectNode definition) {
    return Trees.objects(definition, "status", "conditions").stream()
        .anyMatch(one ->
            Trees.text(one, "type").equals("Established")
                && Trees.text(one, "status").equals("True"));
  }

  /** Everything the chart can have, whatever the values say. */
  private List<ObjectNode> everything() {
    var most = Wire.object().put("podForceFailAfter", "1s"); // its own values have the rest
    var all = new ArrayList<>(new Chart(settings.namespace(), most).objects());
    var known = new HashSet<String>();
    all.forEach(object -> known.add(ClusterObjects.name(object)));
    for (var object : settings.chart().objects()) {
      if (known.add(ClusterObjects.name(object))) {
        all.add(object);
      }
    }
    return all;
  }

  private void removeUnwanted(List<ObjectNode> wanted) throws CliFailure, InterruptedException {
    var names = new HashSet<String>();
    wanted.forEach(object -> names.add(ClusterObjects.name(object)));
    for (var object : everything().reversed()) {
      if (!names.contains(ClusterObjects.name(object))) {
        remove(object);
      }
    }
  }

  private void awaitReady(List<ObjectNode> wanted) throws CliFailure, InterruptedException {
    for (var object : wanted) {
      if (Trees.text(object, "kind").equals("Deployment")) {
        await("the controller", () -> cluster.stored(object).map(Installer::rollout).orElse(""));
      }
    }
  }

  /** Empty when it is done. */
  private static String rollout(ObjectNode deployment) {
    int wanted = Trees.integer(deployment, "spec", "replicas").orElse(1);
    int ready = Trees.integer(deployment, "status", "readyReplicas").orElse(0);
    int updated = Trees.integer(deployment, "status", "updatedReplicas").orElse(0);
    boolean seen =
        Trees.number(deployment, "status", "observedGeneration").orElse(0)
            >= Trees.number(deployment, "metadata", "generation").orElse(0);
    return seen && ready >= wanted && updated >= wanted
        ? ""
        : "%d of %d replicas are ready".formatted(Math.min(ready, updated), wanted);
  }

  /** Says what is missing; empty for nothing. */
  private interface Missing {
    String look() throws CliFailure, InterruptedException;
  }

  private void await(String what, Missing missing) throws CliFailure, InterruptedException {
    long end = System.nanoTime() + settings.patience().toNanos();
    String last = "";
    while (true) {
      String now = missing.look();
      if (now.isEmpty()) {
        return;
      }
      if (!now.equals(last)) {
        progress.accept("waiting for %s: %s".formatted(what, now));
        last = now;
      }
      if (System.nanoTime() > end) {
        throw new CliFailure(
            CliFailure.Code.TIMED_OUT,
            "%s: %s after %ds (see: kubectl -n %s describe pods)"
                .formatted(what, now, settings.patience().toSeconds(), settings.namespace()),
            null);
      }
      Thread.sleep(LOOK);
    }
  }

  /** The leader's. */
  private ObjectNode lease() {
    var lease = Wire.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
    lease
        .putObject("metadata")
        .put("name", "regroup-controller")
        .put("namespace", settings.namespace())
        .putObject("labels")
        .put(JobSetDefinition.PART_OF, "regroup");
    return lease;
  }
}
