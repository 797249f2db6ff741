package dev.regroup.api.pod;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.pod.PodSpec;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The annotation {@code regroup.dev/restart-grace}: seconds from 0 to 600 (JS-169). */
public final class RestartGrace {

  public static final int MOST_SECONDS = 600;

  private RestartGrace() {}

  /** A pod that says nothing, or nothing that can be used, is stopped as by a kubelet. */
  static Duration of(@Nullable Map<String, String> annotations) {
    var text = annotations == null ? null : annotations.get(JobSetKeys.RESTART_GRACE);
    var seconds = text == null ? OptionalInt.empty() : seconds(text);
    return seconds.isPresent() ? Duration.ofSeconds(seconds.getAsInt()) : PodSpec.RESTART_GRACE;
  }

  /** Absent when the text is no such number. */
  public static OptionalInt seconds(String text) {
    if (!text.matches("[0-9]{1,3}")) {
      return OptionalInt.empty();
    }
    int seconds = Integer.parseInt(text);
    return seconds > MOST_SECONDS ? OptionalInt.empty() : OptionalInt.of(seconds);
  }
}
