package dev.regroup.style;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rooms of the house as the sources draw them: which package holds which classes, uses which
 * other packages and says what of itself. Reads {@code src/main} of every module; comments count
 * only in a {@code package-info}, so a link in a page of text is no dependency.
 */
final class House {

  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern USE = Pattern.compile("\\b(dev\\.regroup(?:\\.[a-z]\\w*)+)\\.[A-Z]");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
  private static final Pattern FIRST =
      Pattern.compile("Start reading at \\{@(?:link|code) ([\\w.]+)}");

  /** A package: its classes, the packages they use, the text of its {@code package-info}. */
  private static final class Room {
    final Set<String> classes = new TreeSet<>();
    final Set<String> uses = new TreeSet<>();
    String info = "";
  }

  private final Map<String, Room> rooms = new TreeMap<>();

  static House under(Path root) throws IOException {
    List<Path> sources;
    try (var walk = Files.walk(root)) {
      sources =
          walk.filter(file -> file.toString().endsWith(".java"))
              .filter(file -> root.relativize(file).toString().contains("src/main/java/"))
              .toList();
    }
    var house = new House();
    for (var source : sources) {
      house.read(source.getFileName().toString().replace(".java", ""), Files.readString(source));
    }
    return house;
  }

  void read(String name, String text) {
    var code = COMMENT.matcher(text).replaceAll("");
    var declared = PACKAGE.matcher(code);
    if (!declared.find()) {
      throw new IllegalArgumentException(name + ": no package");
    }
    var room = rooms.computeIfAbsent(declared.group(1), _ -> new Room());
    if (name.equals("package-info")) {
      room.info = text.replaceAll("\\s*\\n\\s*\\*?\\s*", " ");
      return;
    }
    room.classes.add(name);
    USE.matcher(code).results().forEach(use -> room.uses.add(use.group(1)));
  }

  int packages() {
    return rooms.size();
  }

  /** The packages that reach themselves through others of their module, each with its way. */
  List<String> cycles() {
    return rooms.keySet().stream().filter(this::reachesItself).map(this::way).toList();
  }

  private boolean reachesItself(String start) {
    return reachable(start).contains(start);
  }

  private String way(String start) {
    return rooms.get(start).uses.stream()
        .filter(next -> !next.equals(start) && sameModule(start, next))
        .filter(next -> reachable(next).contains(start))
        .collect(Collectors.joining(", ", start + " uses ", ""));
  }

  private Set<String> reachable(String start) {
    var seen = new HashSet<String>();
    var todo = new ArrayDeque<>(List.of(start));
    while (!todo.isEmpty()) {
      var here = todo.pop();
      for (var next : uses(here)) {
        if (!next.equals(here) && sameModule(start, next) && seen.add(next)) {
          todo.push(next);
        }
      }
    }
    return seen;
  }

  private Collection<String> uses(String name) {
    var room = rooms.get(name);
    return room == null ? List.of() : room.uses;
  }

  /** {@code dev.regroup.<module>}. */
  private static boolean sameModule(String a, String b) {
    return a.split("\\.")[2].equals(b.split("\\.")[2]);
  }

  /** Class names that mean more than one thing, each with its packages. */
  Map<String, List<String>> namesTwice() {
    var found = new TreeMap<String, List<String>>();
    for (var name : allNames()) {
      var homes = rooms.keySet().stream().filter(p -> rooms.get(p).classes.contains(name)).toList();
      if (homes.size() > 1) {
        found.put(name, homes);
      }
    }
    return found;
  }

  private Set<String> allNames() {
    return rooms.values().stream()
        .flatMap(room -> room.classes.stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The packages that do not say which of the classes there are is to be read first. */
  List<String> withoutAFirstClass() {
    return rooms.keySet().stream().filter(name -> !namesAFirstClass(name)).toList();
  }

  private boolean namesAFirstClass(String name) {
    var first = FIRST.matcher(rooms.get(name).info);
    if (!first.find()) {
      return false;
    }
    int dot = first.group(1).lastIndexOf('.');
    var home = dot < 0 ? name : first.group(1).substring(0, dot);
    return rooms.containsKey(home)
        && rooms.get(home).classes.contains(first.group(1).substring(dot + 1));
  }

  List<String> largerThan(int classes) {
    return rooms.keySet().stream()
        .filter(name -> rooms.get(name).classes.size() > classes)
        .map(name -> name + ": " + rooms.get(name).classes.size())
        .toList();
  }
}
