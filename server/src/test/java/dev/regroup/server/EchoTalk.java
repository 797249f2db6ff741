package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** A conversation for tests: says everything back, and goodbye when the client has ended. */
public final class EchoTalk implements Answer.Talk {
  public static final String GOODBYE = "goodbye";

  /** Counted down when a talk has ended, however it did. */
  public final CountDownLatch over = new CountDownLatch(1);

  public Answer answer() {
    return new Answer.Upgraded("echo", Headers.of("x-talk", "1"), this);
  }

  @Override
  public void with(Duplex client) throws IOException, InterruptedException {
    try {
      byte[] said;
      while ((said = client.read()) != null) {
        client.write(said);
      }
      client.write(GOODBYE.getBytes(StandardCharsets.US_ASCII));
      client.endOutput();
    } finally {
      over.countDown();
    }
  }
}
