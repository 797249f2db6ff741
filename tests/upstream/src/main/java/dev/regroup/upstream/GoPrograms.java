package dev.regroup.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The programs of Kubernetes, and Helm, built by Go from the published modules. They stay in
 * folders named by what they are built from, so only the first run of a version takes minutes. The
 * versions stand in the {@code go.mod} of each module beside this class.
 */
public final class GoPrograms {

  /** What is built together, from one {@code go.mod}. */
  public enum Module {
    ETCD("etcd", "main.go", "", SMALL, "."),
    CONTAINERD(
        "containerd",
        "commands.go",
        "no_btrfs,no_zfs,no_devmapper,no_aufs",
        SMALL,
        commands(
            "github.com/containerd/containerd/v2/cmd/",
            "containerd",
            "containerd-shim-runc-v2",
            "ctr")),
    KUBERNETES(
        "kubernetes",
        "commands.go",
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
            "kubelet")),
    HELM("helm", "commands.go", "", SMALL, "helm.sh/helm/v3/cmd/helm");

    private final String wireName;
    private final String source;
    private final String tags;
    private final String linker;
    private final String packages; // with a space between two

    Module(String wireName, String source, String tags, String linker, String packages) {
      this.wireName = wireName;
      this.source = source;
      this.tags = tags;
      this.linker = linker;
      this.packages = packages;
    }

    private List<String> packages() {
      return List.of(packages.split(" ", -1));
    }

    List<String> files() {
      return List.of("go.mod", "go.sum", source);
    }

    byte[] file(String name) throws IOException {
      try (InputStream stream = GoPrograms.class.getResourceAsStream(wireName + "/" + name)) {
        if (stream == null) {
          throw new IllegalStateException(wireName + "/" + name + ": not beside this class");
        }
        return stream.readAllBytes();
      }
    }
  }

  public static final String KUBERNETES_VERSION = "1.36.3";

  private static final Duration BUILD = Duration.ofMinutes(40);
  private static final String SMALL = "-s -w"; // without what only debuggers read
  private static final int OLDEST_GO = 26; // of Kubernetes 1.36
  private static final Pattern GO = Pattern.compile("go1\\.(\\d+)");

  private final List<Path> folders;

  private GoPrograms(List<Path> folders) {
    this.folders = List.copyOf(folders);
  }

  /** What is missing on this machine to build them, in words; empty when nothing is. */
  public static Optional<String> missing() throws IOException, InterruptedException {
    boolean there =
        Arrays.stream(System.getenv("PATH").split(":", -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve("go")));
    var need = "Go 1.%d or newer (%s)";
    if (!there) {
      return Optional.of(need.formatted(OLDEST_GO, "there is none on the path"));
    }
    var version = GO.matcher(goVersion());
    int found = version.find() ? Integer.parseInt(version.group(1)) : -1;
    return found < OLDEST_GO
        ? Optional.of(need.formatted(OLDEST_GO, "found 1." + found))
        : Optional.empty();
  }

  /** Builds what is not there yet; {@code all} holds the programs of every version. */
  public static GoPrograms in(Path all, Collection<Module> wanted)
      throws IOException, InterruptedException {
    Files.createDirectories(all);
    var lock = all.resolve("lock");
    try (var file = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) { // another run may build the same
      var folders = new ArrayList<Path>();
      for (var module : wanted) {
        var folder = all.resolve(module.wireName + "-" + key(module));
        if (!Files.isDirectory(folder)) {
          build(module, folder);
        }
        folders.add(folder);
      }
      return new GoPrograms(folders);
    }
  }

  /** Those that somebody has put into this folder. */
  public static GoPrograms of(Path folder) {
    return new GoPrograms(List.of(folder));
  }

  public Path program(String name) {
    return folders.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() ->
            new IllegalStateException(
                "no %s in %s (remove what was built, to build it again)".formatted(name, folders)));
  }

  private static void build(Module module, Path folder) throws IOException, InterruptedException {
    var making = folder.resolveSibling(folder.getFileName() + ".new");
    var source = Files.createDirectories(making.resolve("source"));
    for (var file : module.files()) {
      Files.write(source.resolve(file), module.file(file));
    }
    System.out.println("building " + module.wireName + " into " + folder);
    long start = System.nanoTime();
    var words = new ArrayList<>(List.of("nice", "env", "CGO_ENABLED=0", "GOWORK=off", "go", "-C"));
    words.addAll(List.of(source.toString(), "build", "-p", "2", "-buildvcs=false"));
    words.addAll(List.of("-tags", module.tags, "-ldflags", module.linker, "-o"));
    // one package that is no command line of several gets its name from the module
    words.add(
        (module.packages().size() == 1 ? making.resolve(module.wireName) : making + "/")
            .toString());
    words.addAll(module.packages());
    Command.run(BUILD, words);
    System.out.printf("  %d s%n", Duration.ofNanos(System.nanoTime() - start).toSeconds());
    Files.move(making, folder, StandardCopyOption.ATOMIC_MOVE); // last: half a build is none
  }

  /** A hash of all that decides what is built. */
  private static String key(Module module) throws IOException, InterruptedException {
    var hash = sha256();
    hash.update(bytes(goVersion()));
    hash.update(bytes(module.tags + " " + module.linker + " " + module.packages));
    for (var file : module.files()) {
      hash.update(module.file(file));
    }
    return HexFormat.of().formatHex(hash.digest(), 0, 6);
  }

  private static String goVersion() throws IOException, InterruptedException {
    return Command.run(Duration.ofMinutes(1), "go", "version");
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

  private static String commands(String prefix, String... names) {
    return Arrays.stream(names).map(name -> prefix + name).collect(Collectors.joining(" "));
  }

  private static String version(String name, String value) {
    return " -X k8s.io/component-base/version." + name + "=" + value;
  }
}
