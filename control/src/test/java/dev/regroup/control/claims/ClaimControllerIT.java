package dev.regroup.control.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Kinds;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Protection of claims with the real controllers and the real server in one process. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ClaimControllerIT {
  private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";

  @TempDir Path directory;

  private ControlPlane plane;
  private Transport transport;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory);
    transport = plane.admin();
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_deleted_claim_stays_until_no_pod_uses_it() throws Exception {
    plane.post(
        CLAIMS,
        """
        {"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
         "resources":{"requests":{"storage":"1Gi"}}}}
        """);
    plane.post(
        "/api/v1/namespaces/default/pods",
        """
        {"metadata":{"name":"p"},"spec":{"schedulerName":"nobody",
         "containers":[{"name":"c","image":"i"}],
         "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}}
        """);

    transport.send(Request.of("DELETE", CLAIMS + "/data", "application/json", new byte[0]));
    var marked = new ApiClient(transport).get(Kinds.CLAIMS, new ObjectKey("default", "data"));
    assertThat(marked.orElseThrow().at("/metadata/finalizers/0").asText())
        .isEqualTo("kubernetes.io/pvc-protection");
    String path = "/api/v1/namespaces/default/pods/p";
    transport.send(Request.of("DELETE", path, "application/json", new byte[0]));

    try (var stream = transport.open(Request.get(CLAIMS, "watch=1&resourceVersion=1"))) {
      var type = "";
      for (byte[] frame = stream.next(); frame != null && !type.equals("DELETED"); ) {
        type = Wire.tree(frame).path("type").asText();
        frame = type.equals("DELETED") ? frame : stream.next();
      }
      assertThat(type).isEqualTo("DELETED");
    }
  }
}
