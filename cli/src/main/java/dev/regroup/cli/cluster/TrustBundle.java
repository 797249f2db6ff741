package dev.regroup.cli.cluster;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Certificates that vouch for others, as PEM blocks: what a webhook configuration has the API
 * server believe. Two with the same blocks are equal, in whatever order.
 */
record TrustBundle(Set<String> blocks) {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");

  TrustBundle {
    blocks = Collections.unmodifiableSet(new LinkedHashSet<>(blocks));
  }

  /** Whatever else the text holds is left out. */
  static TrustBundle of(String pem) {
    var blocks = new LinkedHashSet<String>();
    BLOCK.matcher(pem).results().forEach(block -> blocks.add(block.group()));
    return new TrustBundle(blocks);
  }

  boolean hasAll(TrustBundle others) {
    return blocks.containsAll(others.blocks);
  }

  /** These first, then those of the others that are not here. */
  TrustBundle and(TrustBundle others) {
    var all = new LinkedHashSet<>(blocks);
    all.addAll(others.blocks);
    return new TrustBundle(all);
  }

  String pem() {
    return blocks.isEmpty() ? "" : String.join("\n", blocks) + "\n";
  }
}
