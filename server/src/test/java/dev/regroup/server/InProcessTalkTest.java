package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.InProcessTransport.Upgrade;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conversations with a server in the same process. */
@Timeout(30)
class InProcessTalkTest {
  private static final Request ASK = Request.get("/echo", "");

  private final EchoTalk echo = new EchoTalk();

  @Test
  void bytes_go_both_ways_and_one_side_may_end_first() throws Exception {
    var agreed = (Upgrade.Agreed) answering(echo.answer()).upgrade(ASK);

    assertThat(agreed.head().status()).isEqualTo(101);
    assertThat(agreed.head().headers().first("upgrade")).contains("echo");
    try (var server = agreed.server()) {
      server.write(bytes("a"));
      assertThat(server.read()).isEqualTo(bytes("a"));
      server.write(bytes("b"));
      server.endOutput();
      assertThat(server.read()).isEqualTo(bytes("b"));
      assertThat(server.read()).isEqualTo(bytes(EchoTalk.GOODBYE));
      assertThat(server.read()).isNull();
      assertThatThrownBy(() -> server.write(bytes("c"))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void closing_one_end_wakes_the_other() throws Exception {
    var agreed = (Upgrade.Agreed) answering(echo.answer()).upgrade(ASK);

    agreed.server().close();

    assertThat(echo.over.await(20, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> agreed.server().read()).isInstanceOf(IOException.class);
  }

  @Test
  void a_writer_waits_for_a_slow_reader_and_nothing_is_lost() throws Exception {
    Answer.Talk flood =
        client -> {
          for (int i = 0; i < 1_000; i++) {
            client.write(new byte[100]);
          }
        };
    var answer = new Answer.Upgraded("flood", dev.regroup.client.Headers.NONE, flood);
    var agreed = (Upgrade.Agreed) answering(answer).upgrade(ASK);

    assertThat(length(agreed.server())).isEqualTo(100_000);
  }

  @Test
  void an_answer_that_is_no_upgrade_is_handed_over() throws Exception {
    var whole = new Answer.Whole(new Response(400, dev.regroup.client.Headers.NONE, bytes("no")));

    assertThat(answering(whole).upgrade(ASK))
        .isInstanceOfSatisfying(
            Upgrade.Declined.class,
            declined ->
                assertThat(Arrays.toString(declined.answer().body()))
                    .isEqualTo(Arrays.toString(bytes("no"))));
  }

  private static int length(Duplex server) throws Exception {
    int length = 0;
    try (server) {
      byte[] piece;
      while ((piece = server.read()) != null) {
        length += piece.length;
      }
    }
    return length;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static InProcessTransport answering(Answer answer) {
    var exchange =
        new Exchange() {
          @Override
          public Entry enter(Credentials credentials, Request head) {
            return (Entry.Granted) request -> handle(credentials, request);
          }

          @Override
          public Answer handle(Credentials credentials, Request request) {
            return answer;
          }
        };
    return new InProcessTransport(exchange, Identity.admin());
  }
}
