package dev.regroup.client;

/**
 * Carries exchanges to a Kubernetes API under one identity. Both implementations (HTTPS, and
 * straight into the embedded server's pipeline) give the same answers to the same bytes. May be
 * used by any number of threads.
 */
public interface Transport {

  /**
   * Sends one request and waits for the whole answer. An answer with an error code is an answer.
   *
   * @throws Unreachable when no answer came, so that the caller cannot know what happened
   */
  Response send(Request request) throws Unreachable, InterruptedException;

  /**
   * Sends a request whose answer is a stream: a watch, or a log that is followed. When the server
   * refuses, {@link Stream#status} tells the code and the frames hold the error body.
   */
  Stream open(Request request) throws Unreachable, InterruptedException;

  /** No answer came: the connection could not be made or broke off. Try again later. */
  final class Unreachable extends java.io.IOException {
    public Unreachable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A stream of frames, pulled by one thread; {@link #close} may be called by any thread. */
  interface Stream extends AutoCloseable {

    int status();

    Headers headers();

    /**
     * Returns the next frame, or null at the end. A frame of a watch is one JSON event, which a
     * line break may follow; a frame of any other stream is whatever bytes have arrived.
     */
    byte @org.jspecify.annotations.Nullable [] next() throws Unreachable, InterruptedException;

    /**
     * Returns the next frame if it is there already, without waiting; null says nothing about the
     * end. For whoever would rather send several at once. A stream that cannot tell has none.
     */
    default byte @org.jspecify.annotations.Nullable [] poll() throws InterruptedException {
      return null;
    }

    /** Ends the stream and wakes the thread that waits in {@link #next}. */
    @Override
    void close();
  }
}
