package dev.regroup.control.endpoints;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What to do so that the slices of one service hold exactly these endpoints.
 *
 * @param create content of slices to be made
 * @param update new content by slice name
 * @param delete names of slices that are empty now
 */
public record SlicePlan(
    List<List<Endpoint>> create, Map<String, List<Endpoint>> update, List<String> delete) {

  /** Kubernetes' limit of endpoints in a slice. */
  static final int PER_SLICE = 100;

  /**
   * One address behind a service.
   *
   * @param hostname the pod's, if its subdomain is this service; else empty
   */
  public record Endpoint(
      String podUid,
      String podName,
      String address,
      String hostname,
      String node,
      boolean ready,
      boolean serving,
      boolean terminating) {}

  public static SlicePlan of(List<Endpoint> wanted, Map<String, List<Endpoint>> present) {
    var open = new LinkedHashMap<String, Endpoint>();
    wanted.stream()
        .sorted(Comparator.comparing(Endpoint::podName).thenComparing(Endpoint::podUid))
        .forEach(endpoint -> open.put(endpoint.podUid(), endpoint));
    var kept = new LinkedHashMap<String, List<Endpoint>>();
    present.forEach((slice, endpoints) -> {
      var still = new ArrayList<Endpoint>();
      for (Endpoint endpoint : endpoints) {
        var now = open.remove(endpoint.podUid());
        if (now != null) {
          still.add(now);
        }
      }
      kept.put(slice, still);
    });
    var newcomers = new ArrayList<>(open.values());
    kept.values().forEach(slice -> fill(slice, newcomers));
    var create = new ArrayList<List<Endpoint>>();
    while (!newcomers.isEmpty() || (kept.isEmpty() && create.isEmpty())) {
      var slice = new ArrayList<Endpoint>();
      fill(slice, newcomers);
      create.add(slice); // a service without endpoints has one empty slice, as in Kubernetes
    }
    var update = new LinkedHashMap<String, List<Endpoint>>();
    var delete = new ArrayList<String>();
    kept.forEach((slice, endpoints) -> {
      boolean spare = endpoints.isEmpty() && kept.size() - delete.size() > 1;
      if (spare) {
        delete.add(slice);
      } else if (!endpoints.equals(present.get(slice))) {
        update.put(slice, endpoints);
      }
    });
    return new SlicePlan(create, update, delete);
  }

  private static void fill(List<Endpoint> slice, List<Endpoint> newcomers) {
    int room = Math.min(PER_SLICE - slice.size(), newcomers.size());
    var taken = newcomers.subList(0, Math.max(0, room));
    slice.addAll(taken);
    taken.clear();
  }
}
