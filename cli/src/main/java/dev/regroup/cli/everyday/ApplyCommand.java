package dev.regroup.cli.everyday;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.everyday.EverydayOptions.Session;
import dev.regroup.cli.manifest.KindFinder;
import dev.regroup.cli.manifest.Manifests;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Screen;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Patch;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.WriteOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code regroup apply}: makes the cluster have what manifests say. */
@Command(
    name = "apply",
    description = {
      "Creates or changes objects so that they are as manifests say.",
      "",
      "By server-side apply: fields that somebody else set are refused unless"
          + " --force-conflicts is given."
    },
    mixinStandardHelpOptions = true,
    exitCodeList = {"0:done", "1:refused", "2:wrong usage"},
    footer = {"  regroup apply -f examples/training.yaml", "  regroup apply -f - < job.yaml"})
public final class ApplyCommand implements Callable<Integer> {

  private static final String MANAGER = "regroup";

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "Manifests in YAML or JSON; - is standard input.")
  List<Path> files = List.of();

  @Option(names = "--force-conflicts", description = "Take fields over that others have set.")
  boolean force;

  @Mixin EverydayOptions options = new EverydayOptions();

  @CommandLine.Spec CommandLine.Model.@Nullable CommandSpec spec;

  @Override
  public Integer call() throws CliFailure, InterruptedException {
    var manifests = Manifests.read(files, System.in);
    return options.with(session -> {
      var kinds = new KindFinder(session.transport());
      for (var manifest : manifests) {
        apply(session, kinds, manifest.object());
      }
      return 0;
    });
  }

  private void apply(Session session, KindFinder kinds, ObjectNode object)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    String kind = Trees.text(object, "kind");
    String version = Trees.text(object, "apiVersion");
    var resource =
        kinds
            .find(version, kind)
            .orElseThrow(() ->
                new CliFailure(
                    "kind: unknown kind \"%s\" in apiVersion \"%s\" (see: regroup get --kinds)"
                        .formatted(kind, version)));
    String name = Trees.text(object, "metadata", "name");
    if (name.isEmpty()) {
      throw new CliFailure("metadata.name: %s needs a name to be applied".formatted(kind));
    }
    String place = Trees.text(object, "metadata", "namespace");
    boolean namespaced = resource.scope() == Resource.Scope.NAMESPACED;
    var key = new ObjectKey(!namespaced ? "" : place.isEmpty() ? session.namespace() : place, name);
    var before = new ApiClient(session.transport()).get(resource, key);
    var after = patch(session, resource, key, object);
    String done =
        before.isEmpty()
            ? "created"
            : version(before.get()).equals(version(after)) ? "unchanged" : "configured";
    String title = kind.toLowerCase(Locale.ROOT);
    Screen.out(spec)
        .println(
            "%s/%s %s"
                .formatted(
                    resource.group().isEmpty() ? title : title + "." + resource.group(),
                    name,
                    done));
  }

  private ObjectNode patch(
      Session session, Resource<ObjectNode> resource, ObjectKey key, ObjectNode object)
      throws CliFailure, ApiFailure, Transport.Unreachable, InterruptedException {
    var how = WriteOptions.by(MANAGER).withFieldValidation("Strict");
    var patch = new Patch(Patch.Type.APPLY, object.toString().getBytes(StandardCharsets.UTF_8));
    try {
      return new ApiClient(
              session.transport(), warning -> Screen.err(spec).println("Warning: " + warning))
          .patch(resource, key, "", patch, force ? how.withForce() : how);
    } catch (ApiFailure e) {
      if (e.conflict()) {
        throw new CliFailure(e.getMessage() + " (take the fields over with --force-conflicts)", e);
      }
      throw e;
    }
  }

  private static String version(ObjectNode object) {
    return Trees.text(object, "metadata", "resourceVersion");
  }
}
