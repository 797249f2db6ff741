package dev.regroup.api.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Equal for equal image and resources: what back-off is kept by (BKO-01) and DEC-49 looks at. */
final class Fingerprint {

  private Fingerprint() {}

  static String of(Container container) {
    var resources = container.getResources();
    var image = container.getImage() == null ? "" : container.getImage();
    if (resources == null) {
      return image;
    }
    var text = text(resources.getRequests()) + text(resources.getLimits());
    return text.equals("{}{}") ? image : image + " " + text;
  }

  private static String text(@Nullable Map<String, Quantity> quantities) {
    return new TreeMap<>(quantities == null ? Map.of() : quantities).toString();
  }
}
