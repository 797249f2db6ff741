package dev.regroup.cli.everyday;

import dev.regroup.cli.everyday.ServedNames.Served;
import dev.regroup.cli.screen.CliFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * What the words of a command line are about.
 *
 * @param name empty for all of the kind
 */
record Wanted(Served served, String name) {

  /** {@code pods}, {@code pods,jobsets}, {@code pod a b} or {@code pod/a jobset/b}. */
  static List<Wanted> of(List<String> words, ServedNames names)
      throws CliFailure, InterruptedException {
    var wanted = new ArrayList<Wanted>();
    if (words.getFirst().contains("/")) {
      for (String word : words) {
        int slash = word.indexOf('/');
        if (slash < 1 || slash == word.length() - 1) {
          throw new CliFailure(
              CliFailure.Code.USAGE,
              "\"%s\" is not KIND/NAME (write all of them like pod/NAME)".formatted(word),
              null);
        }
        wanted.add(new Wanted(names.find(word.substring(0, slash)), word.substring(slash + 1)));
      }
      return wanted;
    }
    for (String kind : words.getFirst().split(",", -1)) {
      var served = names.find(kind);
      if (words.size() == 1) {
        wanted.add(new Wanted(served, ""));
      }
      words.stream().skip(1).forEach(name -> wanted.add(new Wanted(served, name)));
    }
    return wanted;
  }

  /** As kubectl writes it: {@code pods "x"}. */
  String quoted() {
    return "%s \"%s\"".formatted(served.title(), name);
  }
}
