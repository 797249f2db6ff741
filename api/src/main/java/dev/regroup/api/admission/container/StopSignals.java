package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.notSupported;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.List;

/** Which signals may stop a container (API-10). */
final class StopSignals {

  private static final int REAL_TIME = 15;
  private static final List<String> LINUX = linux();
  private static final List<String> WINDOWS = List.of("SIGKILL", "SIGTERM");

  private StopSignals() {}

  static void check(String signal, String system, FieldPath path, List<FieldError> errors) {
    if (system.isEmpty()) {
      errors.add(forbidden(path, "may not be set for containers with empty `spec.os.name`"));
      return;
    }
    var known = system.equals("windows") ? WINDOWS : LINUX;
    if (!known.contains(signal)) {
      errors.add(notSupported(path, signal, known));
    }
  }

  private static List<String> linux() {
    var names =
        new ArrayList<>(
            List.of(
                ("ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT"
                        + " RTMAX RTMIN SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2"
                        + " VTALRM WINCH XCPU XFSZ")
                    .split(" ", -1)));
    for (int i = 1; i <= REAL_TIME; i++) {
      names.add("RTMIN+" + i);
      if (i < REAL_TIME) {
        names.add("RTMAX-" + i);
      }
    }
    return names.stream().map("SIG"::concat).sorted().toList();
  }
}
