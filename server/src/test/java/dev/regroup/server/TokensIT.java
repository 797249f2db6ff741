package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.TestServer.Carrier;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens of service accounts: for whom they count, and when they do no more. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class TokensIT {
  private static final String BASE = "/api/v1/namespaces/default";
  private static final String WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  private static final String REVIEW = "/apis/authentication.k8s.io/v1/tokenreviews";

  @TempDir Path directory;
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
  private TestServer server;
  private Api admin;

  @BeforeEach
  void open() throws Exception {
    start();
    admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'robot'}}").expect(201);
  }

  private void start() throws Exception {
    server = TestServer.start(directory, now::get);
    admin = server.admin(Carrier.IN_PROCESS);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void a_token_says_who_it_is_until_it_is_over() throws Exception {
    var token = token("{}");

    assertThat(whoIs(token).expect(201).text("/status/userInfo/username"))
        .isEqualTo("system:serviceaccount:default:robot");

    now.updateAndGet(time -> time.plus(Duration.ofMinutes(61)));
    whoIs(token).expect(401);
  }

  @Test
  void a_token_for_somebody_else_is_none_for_this_server() throws Exception {
    var token = token("{'audiences':['vault']}");

    whoIs(token).expect(401);
    var there = admin.post(REVIEW, review(token, "vault")).expect(201);
    assertThat(there.body().at("/status/authenticated").asBoolean()).isTrue();
    assertThat(there.text("/status/audiences/0")).isEqualTo("vault");
    var elsewhere = admin.post(REVIEW, review(token, "other")).expect(201);
    assertThat(elsewhere.body().at("/status/authenticated").asBoolean()).isFalse();
  }

  @Test
  void a_token_dies_with_its_pod() throws Exception {
    admin
        .post(
            BASE + "/pods",
            "{'metadata':{'name':'p'},'spec':{'serviceAccountName':'robot',"
                + "'automountServiceAccountToken':false,"
                + "'containers':[{'name':'c','image':'i'}]}}")
        .expect(201);
    var token = token("{'boundObjectRef':{'apiVersion':'v1','kind':'Pod','name':'p'}}");
    whoIs(token).expect(201);

    admin.delete(BASE + "/pods/p").expect(200);

    whoIs(token).expect(401);
  }

  /** Whoever would have to end it is gone, or something else holds it. */
  @Test
  void a_token_outlives_the_end_of_its_pod_by_a_minute_at_most() throws Exception {
    admin
        .post(
            BASE + "/pods",
            "{'metadata':{'name':'p'},'spec':{'serviceAccountName':'robot','nodeName':'lost',"
                + "'automountServiceAccountToken':false,'terminationGracePeriodSeconds':30,"
                + "'containers':[{'name':'c','image':'i'}]}}")
        .expect(201);
    var token = token("{'boundObjectRef':{'apiVersion':'v1','kind':'Pod','name':'p'}}");
    whoIs(token).expect(201);

    admin.delete(BASE + "/pods/p").expect(200);

    now.updateAndGet(time -> time.plusSeconds(85));
    whoIs(token).expect(201);
    now.updateAndGet(time -> time.plusSeconds(10));
    admin.get(BASE + "/pods/p").expect(200);
    whoIs(token).expect(401);
  }

  @ParameterizedTest
  @CsvSource({"Node, /api/v1/nodes", "Secret, /api/v1/namespaces/default/secrets"})
  void a_token_dies_with_what_it_is_bound_to(String kind, String path) throws Exception {
    var object = "{'metadata':{'name':'it'}}";
    admin.post(path, object).expect(201);
    var ref = "{'boundObjectRef':{'apiVersion':'v1','kind':'%s','name':'it'}}".formatted(kind);
    var token = token(ref);
    whoIs(token).expect(201);
    admin.merge(path + "/it", "{'metadata':{'labels':{'a':'b'}}}").expect(200);
    whoIs(token).expect(201);

    admin.delete(path + "/it").expect(200);
    whoIs(token).expect(401);
    admin.post(path, object).expect(201);

    whoIs(token).expect(401);
    whoIs(token(ref)).expect(201);
  }

  @Test
  void an_account_of_the_same_name_is_another_one() throws Exception {
    var token = token("{}");
    whoIs(token).expect(201);

    admin.delete(BASE + "/serviceaccounts/robot").expect(200);
    whoIs(token).expect(401);
    admin.post(BASE + "/serviceaccounts", "{'metadata':{'name':'robot'}}").expect(201);
    whoIs(token).expect(401);
  }

  @Test
  void a_changed_token_is_none() throws Exception {
    var token = token("{}");
    var parts = token.split("\\.");
    var other = token("{'expirationSeconds':7200}").split("\\.");

    whoIs(parts[0] + "." + other[1] + "." + parts[2]).expect(401);
    whoIs(parts[0] + "." + parts[1] + ".").expect(401);
    whoIs("nonsense").expect(401);
  }

  @Test
  void a_new_key_signs_and_the_old_one_is_still_believed() throws Exception {
    var old = token("{}");
    var keys = directory.resolve("pki").resolve("tokens");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.resolve("1.key"))))
        .isEqualTo("rw-------");
    server.close();
    Files.write(
        keys.resolve("2.key"),
        KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate().getEncoded());
    start();

    var fresh = token("{}");

    assertThat(fresh.split("\\.")[0]).isNotEqualTo(old.split("\\.")[0]);
    whoIs(old).expect(201);
    whoIs(fresh).expect(201);
    var known = admin.get("/openid/v1/jwks").expect(200);
    assertThat(known.text("/keys/0/alg") + " " + known.text("/keys/1/alg"))
        .isEqualTo("RS256 ES256");
    assertThat(admin.get("/.well-known/openid-configuration").expect(200).text("/issuer"))
        .isEqualTo("https://kubernetes.default.svc.cluster.local");
  }

  @Test
  void keys_are_rotated_while_the_server_runs() throws Exception {
    var old = token("{}");
    var keys = directory.resolve("pki").resolve("tokens");
    Files.write(
        keys.resolve("2.key"),
        KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate().getEncoded());

    var fresh = token("{}");

    assertThat(fresh.split("\\.")[0]).isNotEqualTo(old.split("\\.")[0]);
    whoIs(old).expect(201);
    whoIs(fresh).expect(201);

    Files.delete(keys.resolve("1.key"));

    whoIs(old).expect(401);
    whoIs(fresh).expect(201);

    Files.writeString(keys.resolve("3.key"), "no key");

    assertThat(token("{}").split("\\.")[0]).isEqualTo(fresh.split("\\.")[0]);
    whoIs(fresh).expect(201);
  }

  @Test
  void who_has_only_the_key_set_can_check_a_token() throws Exception {
    var parts = token("{}").split("\\.");
    var key = admin.get("/openid/v1/jwks").expect(200).body().at("/keys/0");
    var point = new ECPoint(coordinate(key.path("x").asText()), coordinate(key.path("y").asText()));
    var curve = AlgorithmParameters.getInstance("EC");
    curve.init(new ECGenParameterSpec("secp256r1"));
    var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
    signature.initVerify(
        KeyFactory.getInstance("EC")
            .generatePublic(
                new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class))));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));

    assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
    assertThat(key.path("alg").asText()).isEqualTo("ES256");
  }

  private static BigInteger coordinate(String text) {
    return new BigInteger(1, Base64.getUrlDecoder().decode(text));
  }

  private String token(String spec) throws Exception {
    return admin
        .post(BASE + "/serviceaccounts/robot/token", "{'spec':" + spec + "}")
        .expect(201)
        .text("/status/token");
  }

  private Api.Got whoIs(String token) throws Exception {
    return server.withToken(token).post(WHO, "{}");
  }

  private static String review(String token, String audience) {
    return "{'spec':{'token':'%s','audiences':['%s']}}".formatted(token, audience);
  }
}
