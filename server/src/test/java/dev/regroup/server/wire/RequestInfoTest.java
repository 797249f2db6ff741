package dev.regroup.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestInfoTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "GET, /api/v1/pods, '', LIST, '', '', pods, '', ''",
        "GET, /api/v1/pods, watch=1, WATCH, '', '', pods, '', ''",
        "GET, /api/v1/namespaces/n/pods/p/log, '', GET, '', n, pods, p, log",
        "POST, /apis/batch/v1/namespaces/n/jobs, '', CREATE, batch, n, jobs, '', ''",
        "GET, /api/v1/namespaces/n, '', GET, '', n, namespaces, n, ''",
        "PUT, /api/v1/namespaces/n/finalize, '', UPDATE, '', n, namespaces, n, finalize",
        "DELETE, /api/v1/namespaces/n/pods, '', DELETECOLLECTION, '', n, pods, '', ''",
        "GET, /api/v1/watch/namespaces/n/pods, '', WATCH, '', n, pods, '', ''",
        "GET, /api/v1/nodes/a%2Fb, '', GET, '', '', nodes, a, b",
        "GET, /api/v1/namespaces/n%2Fpods/, '', LIST, '', n, pods, '', ''",
        "GET, /api/v1//pods, '', GET, '', '', '', pods, ''",
        "GET, /api/v1/namespaces/n/pods//log, '', LIST, '', n, pods, '', log"
      })
  void takes_a_path_apart(
      String method,
      String path,
      String query,
      Verb verb,
      String group,
      String namespace,
      String resource,
      String name,
      String part)
      throws Exception {
    var info = RequestInfo.of(new Request(method, path, query, Headers.NONE, new byte[0]));

    assertThat(info.isResource()).isTrue();
    assertThat(info.verb()).isEqualTo(verb);
    assertThat(info.group()).isEqualTo(group);
    assertThat(info.namespace()).isEqualTo(namespace);
    assertThat(info.resource()).isEqualTo(resource);
    assertThat(info.name()).isEqualTo(name);
    assertThat(info.subresource()).isEqualTo(part);
  }
}
