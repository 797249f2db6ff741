package dev.regroup.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The one mapper of this module; it reads what a server sends. Names of fields may have any length:
 * the key of a list's item, which anybody may choose, is part of a name in {@code managedFields},
 * and one object that cannot be read would end every list and watch of its kind. Buffers come from
 * a small pool: Jackson would leave some with every thread, and of virtual threads there are as
 * many as requests and streams.
 */
public final class ServerJson {

  private static final int BUFFERS = 16;

  public static final JsonMapper MAPPER =
      new JsonMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxNameLength(Integer.MAX_VALUE).build())
              .recyclerPool(JsonRecyclerPools.newBoundedPool(BUFFERS))
              .build());

  private ServerJson() {}
}
