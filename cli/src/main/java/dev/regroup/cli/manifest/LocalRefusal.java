package dev.regroup.cli.manifest;

import dev.regroup.api.Gates;
import dev.regroup.cli.check.ClosedWorld;
import dev.regroup.cli.check.Finding;
import dev.regroup.cli.check.LocalCheck;
import dev.regroup.cli.check.ObjectCheck;
import dev.regroup.cli.manifest.Manifests.Manifest;
import java.io.PrintWriter;
import java.util.List;

/** What a local cluster would refuse, said before anything starts, with the place in the file. */
public final class LocalRefusal {

  private LocalRefusal() {}

  /** Whether something would be refused; then it was said what. */
  public static boolean of(List<Manifest> manifests, Gates gates, PrintWriter err) {
    var world = new ClosedWorld(manifests.stream().map(Manifest::object).toList());
    var check = new LocalCheck(new ObjectCheck(gates, gates.decoding()), world);
    boolean refused = false;
    for (var manifest : manifests) {
      var errors =
          check.check(manifest.object()).findings().stream().filter(Finding::isError).toList();
      FindingReport.lines(manifest, errors).forEach(err::println);
      refused |= !errors.isEmpty();
    }
    check.served().ifPresent(served -> err.println("regroup: " + served));
    if (refused) {
      err.println("regroup: nothing was started");
    }
    return refused;
  }
}
