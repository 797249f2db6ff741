package dev.regroup.node.dns;

import static java.util.Objects.requireNonNull;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the name servers of the host, one after the other, from the host's own network. Their list
 * is read again for every question: laptops change networks. Each question goes out from a fresh
 * port under a fresh id, and an answer counts only if both and the question fit.
 */
public final class HostResolvers implements Upstream {
  private static final Logger LOG = LoggerFactory.getLogger(HostResolvers.class);
  private static final Duration PATIENCE = Duration.ofMillis(1300); // at most three are asked
  private static final int PORT = 53;
  private static final int MOST_STRAYS = 8; // packets that are no answer to us, per server
  private static final int LARGEST = 65_535;

  private final Path resolvConf;
  private final int port;
  private final int patience; // milliseconds per server
  private final RandomGenerator random;

  /**
   * @param resolvConf where the host says whom to ask
   * @param random must be hard to guess: the ids of questions come from it
   */
  public HostResolvers(Path resolvConf, RandomGenerator random) {
    this(resolvConf, PORT, PATIENCE, random);
  }

  HostResolvers(Path resolvConf, int port, Duration patience, RandomGenerator random) {
    this.resolvConf = requireNonNull(resolvConf, "resolvConf");
    this.port = port;
    this.patience = (int) patience.toMillis();
    this.random = requireNonNull(random, "random");
  }

  @Override
  public Optional<byte[]> ask(byte[] query, DnsAnswers.Carrier carrier) {
    byte[] ours = query.clone();
    setId(ours, random.nextInt(1 << 16));
    for (String server : servers()) {
      try {
        var to = new InetSocketAddress(InetAddress.ofLiteral(server), port);
        byte[] answer =
            switch (carrier) {
              case DATAGRAM -> askByDatagram(ours, to);
              case STREAM -> askByStream(ours, to);
            };
        System.arraycopy(query, 0, answer, 0, 2);
        return Optional.of(answer);
      } catch (IOException | IllegalArgumentException e) {
        LOG.debug("Name server {} gave no answer: {}", server, e.getMessage()); // the next may
      }
    }
    return Optional.empty();
  }

  private List<String> servers() {
    try {
      return ResolvConf.parse(Files.readString(resolvConf)).nameservers();
    } catch (IOException e) {
      return List.of();
    }
  }

  private byte[] askByDatagram(byte[] query, InetSocketAddress server) throws IOException {
    try (var socket = new DatagramSocket()) {
      socket.connect(server);
      socket.setSoTimeout(patience);
      socket.send(new DatagramPacket(query, query.length));
      var packet = new DatagramPacket(new byte[LARGEST], LARGEST);
      for (int i = 0; i < MOST_STRAYS; i++) {
        socket.receive(packet);
        byte[] answer = Arrays.copyOf(packet.getData(), packet.getLength());
        if (answers(query, answer)) {
          return answer;
        }
      }
      throw new IOException("no answer among what " + server + " sent");
    }
  }

  private byte[] askByStream(byte[] query, InetSocketAddress server) throws IOException {
    try (var socket = new Socket()) {
      socket.connect(server, patience);
      socket.setSoTimeout(patience);
      var out = new DataOutputStream(socket.getOutputStream());
      out.write(DnsServer.framed(query));
      var in = new DataInputStream(socket.getInputStream());
      byte[] answer = in.readNBytes(in.readUnsignedShort());
      if (!answers(query, answer)) {
        throw new IOException("no answer from " + server);
      }
      return answer;
    }
  }

  /** Same id, marked as an answer, and about the same question. */
  private static boolean answers(byte[] query, byte[] answer) {
    int question = questionEnd(query);
    return answer.length >= question
        && answer[0] == query[0]
        && answer[1] == query[1]
        && (answer[2] & 0x80) != 0
        && Arrays.equals(answer, DnsQuery.HEADER, question, query, DnsQuery.HEADER, question);
  }

  /** The query was parsed before it came here: its name is whole. */
  private static int questionEnd(byte[] query) {
    return switch (DnsQuery.parse(query)) {
      case DnsQuery.Question question -> DnsQuery.HEADER + question.asked().length;
      case DnsQuery.Noise _, DnsQuery.Refused _ ->
          throw new IllegalArgumentException("only sound questions are passed on");
    };
  }

  private static void setId(byte[] packet, int id) {
    packet[0] = (byte) (id >> 8);
    packet[1] = (byte) id;
  }
}
