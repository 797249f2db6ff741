package dev.regroup.cli.kubeconfig;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How to reach the API server of a cluster and as whom: what a kubeconfig's context says, or what a
 * pod finds in its own files. Holds secrets; never print it.
 *
 * @param authority PEM of who vouches for the server; empty for whom the platform trusts
 * @param anyServer the server is believed whoever it is
 * @param certificate PEM of our own; empty without one
 * @param token asked for with every request
 * @param namespace where things are when nobody says where
 */
public record KubeAccess(
    URI server,
    String authority,
    boolean anyServer,
    String certificate,
    String key,
    Supplier<Optional<String>> token,
    String namespace) {

  private static final Path POD = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  /** The context of this name in a kubeconfig. */
  static KubeAccess of(KubeConfigTree config, String contextName) throws CliFailure {
    var context = config.entry("contexts", "context", contextName);
    var cluster = config.entry("clusters", "cluster", Trees.text(context, "cluster"));
    var user =
        Trees.text(context, "user").isEmpty()
            ? Wire.object()
            : config.entry("users", "user", Trees.text(context, "user"));
    for (String field : new String[] {"proxy-url", "tls-server-name"}) {
      if (Trees.has(cluster, field)) {
        throw config.wrong(field + " is not supported");
      }
    }
    if (Trees.has(user, "auth-provider") || Trees.has(user, "username")) {
      throw config.wrong(
          "user \"%s\" has neither token nor certificate (write an exec plugin instead)"
              .formatted(Trees.text(context, "user")));
    }
    var server = Trees.text(cluster, "server");
    if (!server.startsWith("https://") && !server.startsWith("http://")) {
      throw config.wrong("server is \"%s\", not an address".formatted(server));
    }
    String certificate = config.data(user, "client-certificate");
    String key = config.data(user, "client-key");
    Supplier<Optional<String>> token = token(config, user);
    if (Trees.has(user, "exec")) {
      var plugin = new CredentialPlugin(user.path("exec"));
      var shown = plugin.credential();
      if (shown.certificate().isEmpty()) {
        token = plugin;
      } else {
        certificate = shown.certificate();
        key = shown.key();
      }
    }
    var namespace = Trees.text(context, "namespace");
    return new KubeAccess(
        URI.create(server),
        config.data(cluster, "certificate-authority"),
        Trees.isTrue(cluster, "insecure-skip-tls-verify"),
        certificate,
        key,
        token,
        namespace.isEmpty() ? "default" : namespace);
  }

  private static Supplier<Optional<String>> token(KubeConfigTree config, JsonNode user) {
    var file = Trees.text(user, "tokenFile");
    if (!file.isEmpty()) {
      return new TokenFile(config.resolve(file));
    }
    var token = Trees.text(user, "token");
    return () -> token.isEmpty() ? Optional.empty() : Optional.of(token);
  }

  /** Whether this program runs in a pod that may speak to its API server. */
  public static boolean isInPod(Map<String, String> environment) {
    return environment.containsKey("KUBERNETES_SERVICE_HOST")
        && Files.isReadable(POD.resolve("token"));
  }

  /** What a pod finds; its token is read anew, because it is replaced while the pod runs. */
  public static KubeAccess ofPod(Map<String, String> environment) throws CliFailure {
    var host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
    var port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
    try {
      return new KubeAccess(
          URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port),
          Files.readString(POD.resolve("ca.crt")),
          false,
          "",
          "",
          new TokenFile(POD.resolve("token")),
          Files.readString(POD.resolve("namespace")).strip());
    } catch (IOException e) {
      throw new CliFailure(
          "the pod's service account cannot be read: " + Reason.of(e) + " (name a --kubeconfig)",
          e);
    }
  }

  /** A connection; the caller closes it. */
  public HttpsTransport open() throws CliFailure {
    try {
      var tls =
          anyServer
              ? PemTls.believingAnybody(certificate, key)
              : certificate.isEmpty()
                  ? PemTls.context(authority)
                  : PemTls.context(authority, certificate, key);
      return new HttpsTransport(server, tls, token);
    } catch (GeneralSecurityException | IOException e) {
      throw new CliFailure("the kubeconfig's certificates cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return "access to " + server;
  }

  static String decoded(String base64) {
    return new String(Base64.getMimeDecoder().decode(base64), UTF_8);
  }
}
