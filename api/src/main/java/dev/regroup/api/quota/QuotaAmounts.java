package dev.regroup.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Quantity;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Amounts by the name of what is counted, such as {@code pods} or {@code requests.cpu}. */
public record QuotaAmounts(Map<String, Quantity> byName) {

  public static final QuotaAmounts NONE = new QuotaAmounts(Map.of());

  private static final Quantity ZERO = new Quantity(BigDecimal.ZERO, Quantity.Format.DECIMAL);

  /** Of a map on the wire. */
  public static QuotaAmounts of(JsonNode amounts) {
    var byName = new TreeMap<String, Quantity>();
    amounts
        .properties()
        .forEach(entry ->
            Quantity.of(entry.getValue().asText(""))
                .ifPresent(amount -> byName.put(entry.getKey(), amount)));
    return new QuotaAmounts(byName);
  }

  static Quantity whole(long count) {
    return new Quantity(BigDecimal.valueOf(count), Quantity.Format.DECIMAL);
  }

  public Quantity of(String name) {
    return byName.getOrDefault(name, ZERO);
  }

  public boolean has(String name) {
    return byName.containsKey(name);
  }

  public boolean isEmpty() {
    return byName.isEmpty();
  }

  public QuotaAmounts plus(QuotaAmounts other) {
    return with(other, BigDecimal::add);
  }

  public QuotaAmounts minus(QuotaAmounts other) {
    return with(other, BigDecimal::subtract);
  }

  QuotaAmounts max(QuotaAmounts other) {
    return with(other, BigDecimal::max);
  }

  private QuotaAmounts with(QuotaAmounts other, BinaryOperator<BigDecimal> operator) {
    var sum = new TreeMap<>(byName);
    other.byName.forEach((name, amount) -> {
      var format = byName.containsKey(name) ? of(name).format() : amount.format();
      sum.put(name, new Quantity(operator.apply(of(name).amount(), amount.amount()), format));
    });
    return new QuotaAmounts(sum);
  }

  public QuotaAmounts only(Predicate<String> names) {
    var some = new TreeMap<>(byName);
    some.keySet().removeIf(name -> !names.test(name));
    return new QuotaAmounts(some);
  }

  /** These names, with zero where there is no amount. */
  public QuotaAmounts exactly(Collection<String> names) {
    var all = new TreeMap<String, Quantity>();
    names.forEach(name -> all.put(name, of(name)));
    return new QuotaAmounts(all);
  }

  public ObjectNode toJson() {
    var json = Wire.object();
    byName.forEach((name, amount) -> json.put(name, amount.toString()));
    return json;
  }

  /** As a refusal prints them: {@code pods=1,requests.cpu=500m}. */
  @Override
  public String toString() {
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(","));
  }
}
