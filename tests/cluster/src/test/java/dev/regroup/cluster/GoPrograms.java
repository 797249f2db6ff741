package dev.regroup.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The programs of Kubernetes, built by Go from the published modules. They stay in a folder named
 * by what they are built from, so only the first run of a version takes minutes. The versions stand
 * in {@code src/test/go}.
 */
final class GoPrograms {

  private static final Path SOURCE = Path.of("src/test/go");
  private static final Duration BUILD = Duration.ofMinutes(40);
  private static final String SMALL = "-s -w"; // without what only debuggers read

  private static final String KUBERNETES_VERSION = "1.36.3";

  private static final List<Build> BUILDS =
      List.of(
          new Build("etcd", "", SMALL, List.of(".")),
          new Build(
              "containerd",
              "no_btrfs,no_zfs,no_devmapper,no_aufs",
              SMALL,
              commands(
                  "github.com/containerd/containerd/v2/cmd/",
                  "containerd",
                  "containerd-shim-runc-v2",
                  "ctr")),
          new Build(
              "kubernetes",
              "",
              SMALL
                  + version("gitVersion", "v" + KUBERNETES_VERSION)
                  + version("gitMajor", "1")
                  + version("gitMinor", "36"),
              commands(
                  "k8s.io/kubernetes/cmd/",
                  "kube-apiserver",
                  "kube-controller-manager",
                  "kube-scheduler",
                  "kubelet")));

  private record Build(String module, String tags, String linker, List<String> packages) {}

  private final Path folder;

  private GoPrograms(Path folder) {
    this.folder = folder;
  }

  /** Builds what is not there yet; {@code all} holds the programs of every version. */
  static GoPrograms in(Path all) throws IOException, InterruptedException {
    var folder = all.resolve(key());
    if (!Files.isDirectory(folder)) {
      build(folder);
    }
    return new GoPrograms(folder);
  }

  Path folder() {
    return folder;
  }

  Path program(String name) {
    var file = folder.resolve(name);
    if (!Files.isExecutable(file)) {
      throw new AssertionError(file + " was not built (remove " + folder + " to build it again)");
    }
    return file;
  }

  private static void build(Path folder) throws IOException, InterruptedException {
    var making = folder.resolveSibling(folder.getFileName() + ".new");
    Files.createDirectories(making);
    System.out.println("building Kubernetes " + KUBERNETES_VERSION + " into " + folder);
    for (var one : BUILDS) {
      long start = System.nanoTime();
      var words =
          new ArrayList<>(List.of("nice", "env", "CGO_ENABLED=0", "GOWORK=off", "go", "-C"));
      words.addAll(List.of(SOURCE.resolve(one.module()).toString(), "build", "-p", "2"));
      words.addAll(List.of("-buildvcs=false", "-tags", one.tags(), "-ldflags", one.linker(), "-o"));
      // one package that is no command line of several gets its name from the module
      words.add(
          (one.packages().size() == 1 ? making.resolve(one.module()) : making + "/").toString());
      words.addAll(one.packages());
      Command.run(BUILD, words);
      System.out.printf(
          "  %s: %d s%n", one.module(), Duration.ofNanos(System.nanoTime() - start).toSeconds());
    }
    Files.move(making, folder, StandardCopyOption.ATOMIC_MOVE); // last: half a build is none
  }

  /** A hash of all that decides what is built. */
  private static String key() throws IOException, InterruptedException {
    var hash = sha256();
    hash.update(bytes(Command.run(Duration.ofMinutes(1), "go", "version")));
    hash.update(bytes(BUILDS.toString()));
    Files.walkFileTree(
        SOURCE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            hash.update(Files.readAllBytes(file));
            return FileVisitResult.CONTINUE;
          }
        });
    return KUBERNETES_VERSION + "-" + HexFormat.of().formatHex(hash.digest(), 0, 6);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> commands(String prefix, String... names) {
    return List.of(names).stream().map(name -> prefix + name).toList();
  }

  private static String version(String name, String value) {
    return " -X k8s.io/component-base/version." + name + "=" + value;
  }
}
