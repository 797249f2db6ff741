package dev.regroup.server.proxy;

import dev.regroup.server.wire.Refused;

/**
 * The name in a proxy's path, {@code [scheme:]name[:port]}; what is not said is empty.
 *
 * @param port a number or the name of one
 */
public record ProxiedName(String scheme, String name, String port) {

  public static ProxiedName parse(String text) throws Refused {
    String[] parts = text.split(":", -1);
    var parsed =
        switch (parts.length) {
          case 1 -> new ProxiedName("", parts[0], "");
          case 2 -> new ProxiedName("", parts[0], parts[1]);
          case 3 -> new ProxiedName(parts[0], parts[1], parts[2]);
          default -> throw Refused.badRequest("invalid proxy request \"" + text + "\"");
        };
    boolean known = parsed.scheme.isEmpty() || parsed.scheme.equals("http");
    if (!known && !parsed.scheme.equals("https")) {
      throw Refused.badRequest("invalid proxy request \"" + text + "\"");
    }
    return parsed;
  }
}
