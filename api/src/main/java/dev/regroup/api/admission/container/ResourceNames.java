package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.invalid;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.schema.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which kind of resource a name is: Kubernetes' own, huge pages, or a device. */
public final class ResourceNames {

  private static final String HUGE_PAGES = "hugepages-";
  private static final String QUOTA_PREFIX = "requests.";
  private static final Set<String> FOR_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
  private static final Set<String> COUNTED =
      Set.of(
          "pods",
          "resourcequotas",
          "services",
          "replicationcontrollers",
          "secrets",
          "configmaps",
          "persistentvolumeclaims",
          "services.nodeports",
          "services.loadbalancers");
  private static final Set<String> OTHERS =
      Set.of(
          "storage",
          "requests.cpu",
          "requests.memory",
          "requests.storage",
          "requests.ephemeral-storage",
          "limits.cpu",
          "limits.memory",
          "limits.ephemeral-storage");

  private ResourceNames() {}

  /** What is wrong with so much of it: less than nothing, or a piece of what comes whole. */
  public static List<FieldError> amount(FieldPath path, String name, String text) {
    var errors = new ArrayList<FieldError>();
    Quantity.of(text)
        .ifPresent(amount -> {
          if (amount.negative()) {
            errors.add(invalid(path, text, "must be greater than or equal to 0"));
          }
          boolean whole = amount.amount().stripTrailingZeros().scale() <= 0;
          if ((isCounted(name) || name.startsWith("count/")) && !whole) {
            errors.add(invalid(path, text, "must be an integer"));
          }
        });
    return errors;
  }

  static boolean isHugePages(String name) {
    return name.startsWith(HUGE_PAGES);
  }

  static boolean isForContainers(String name) {
    return FOR_CONTAINERS.contains(name) || isHugePages(name);
  }

  public static boolean isStandard(String name) {
    return isForContainers(name) || COUNTED.contains(name) || OTHERS.contains(name);
  }

  /** A name without a domain, or with one of Kubernetes'. */
  static boolean isNative(String name) {
    return !name.contains("/") || name.contains("kubernetes.io/");
  }

  /** A device; its name must also fit where a quota writes it. */
  static boolean isExtended(String name) {
    return !isNative(name)
        && !name.startsWith(QUOTA_PREFIX)
        && NameRules.qualified(QUOTA_PREFIX + name).isEmpty();
  }

  /** What comes in whole pieces. */
  static boolean isCounted(String name) {
    return COUNTED.contains(name) || isExtended(name);
  }

  static boolean mayBeOvercommitted(String name) {
    return isNative(name) && !isHugePages(name);
  }

  static boolean isWholePages(String name, BigDecimal amount) {
    BigDecimal page =
        Quantity.of(name.substring(HUGE_PAGES.length()))
            .map(Quantity::amount)
            .orElse(BigDecimal.ZERO);
    boolean whole = page.signum() > 0 && page.stripTrailingZeros().scale() <= 0;
    return whole && amount.remainder(page).signum() == 0;
  }
}
