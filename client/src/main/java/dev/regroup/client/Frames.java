package dev.regroup.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Cuts a body into frames. */
public interface Frames {

  /** Returns the next frame, or null at the end. */
  byte @Nullable [] next() throws IOException;
}
