package dev.regroup.node.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.service.ClusterServices;
import dev.regroup.node.service.SmallApi;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The table follows Services and EndpointSlices, in whatever order they come. */
@Timeout(30)
class ClusterNamesTest {
  private static final String SERVICES = "/api/v1/services";
  private static final String SLICES = "/apis/discovery.k8s.io/v1/endpointslices";
  private static final String TRAINING = "training.team.svc.cluster.local";

  private final SmallApi api = new SmallApi();
  private final ClusterServices services = new ClusterServices(api, new Random(1));
  private final ClusterNames names = new ClusterNames(services);

  @AfterEach
  void ends() {
    services.close();
  }

  @Test
  void a_replaced_pod_is_found_at_its_new_address() throws InterruptedException {
    headless("training", "true");
    slice("training-1", "training", endpoint("10.1.0.3", "w-0", "false"));
    start();
    await("w-0." + TRAINING, "10.1.0.3");

    slice("training-1", "training", endpoint("10.1.0.8", "w-0", "false"));

    await("w-0." + TRAINING, "10.1.0.8");
    await(TRAINING, "10.1.0.8");
  }

  @Test
  void all_slices_of_a_service_count_and_a_service_may_come_late() throws InterruptedException {
    start();
    slice("training-2", "training", endpoint("10.1.0.9", "w-1", "true"));
    slice("training-1", "training", endpoint("10.1.0.3", "w-0", "true"));
    headless("training", "false");

    await(TRAINING, "10.1.0.3", "10.1.0.9");

    api.delete(SLICES, "team", "training-2");
    await(TRAINING, "10.1.0.3");

    api.delete(SERVICES, "team", "training");
    awaitMissing(TRAINING);
  }

  @Test
  void pods_that_are_not_ready_are_shown_only_if_the_service_says_so() throws InterruptedException {
    String both = endpoint("10.1.0.3", "w-0", "true") + "," + endpoint("10.1.0.4", "w-1", "false");
    headless("training", "false");
    slice("training-1", "training", both);
    start();

    await(TRAINING, "10.1.0.3");

    headless("training", "true");
    await(TRAINING, "10.1.0.3", "10.1.0.4");
  }

  @Test
  void a_slice_that_moves_to_another_service_leaves_the_first() throws InterruptedException {
    headless("training", "true");
    headless("other", "true");
    slice("slice", "training", endpoint("10.1.0.3", "w-0", "true"));
    start();
    await(TRAINING, "10.1.0.3");

    slice("slice", "other", endpoint("10.1.0.3", "w-0", "true"));

    await("other.team.svc.cluster.local", "10.1.0.3");
    await(TRAINING);
  }

  @Test
  void other_services_have_their_own_address_and_nameless_pods_are_called_by_theirs()
      throws InterruptedException {
    api.put(SERVICES, "default", "kubernetes", "{}", "\"spec\":{\"clusterIP\":\"10.96.0.1\"}");
    api.put(
        SERVICES,
        "team",
        "outside",
        "{}",
        "\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"example.com\"}");
    headless("training", "true");
    slice("training-1", "training", "{\"addresses\":[\"10.1.0.3\",\"fd00::3\"]}");
    start();

    await("kubernetes.default.svc.cluster.local", "10.96.0.1");
    await("10-1-0-3." + TRAINING, "10.1.0.3");
    awaitMissing("outside.team.svc.cluster.local");
  }

  private void start() throws InterruptedException {
    services.start();
    assertThat(services.awaitSynced(Duration.ofSeconds(10))).isTrue();
  }

  private void headless(String name, String publishNotReady) {
    api.put(
        SERVICES,
        "team",
        name,
        "{}",
        "\"spec\":{\"clusterIP\":\"None\",\"publishNotReadyAddresses\":%s}"
            .formatted(publishNotReady));
  }

  private void slice(String name, String service, String endpoints) {
    api.put(
        SLICES,
        "team",
        name,
        "{\"kubernetes.io/service-name\":\"" + service + "\"}",
        "\"endpoints\":[" + endpoints + "]");
  }

  private static String endpoint(String address, String hostname, String ready) {
    return "{\"addresses\":[\"%s\"],\"hostname\":\"%s\",\"conditions\":{\"ready\":%s}}"
        .formatted(address, hostname, ready);
  }

  private void await(String name, String... addresses) throws InterruptedException {
    List<Inet4Address> expected = Arrays.stream(addresses).map(Inet4Address::ofLiteral).toList();
    awaitLookup(name, new DnsNames.Lookup.Found(expected));
  }

  private void awaitMissing(String name) throws InterruptedException {
    awaitLookup(name, new DnsNames.Lookup.Missing());
  }

  /** Waits for the fact; a replaced pod must be found within a second. */
  private void awaitLookup(String name, DnsNames.Lookup expected) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!names.get().lookup(name).equals(expected) && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(names.get().lookup(name)).isEqualTo(expected);
  }
}
