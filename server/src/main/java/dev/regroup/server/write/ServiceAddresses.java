package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.core.ServiceRules;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Allocations;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Gives services their cluster address, out of 10.96.0.0/16; the first one is the API's; their node
 * ports come from {@link NodePorts}. What was given is not given again while this process runs, so
 * two creates at once never share one.
 */
public final class ServiceAddresses implements Allocations {
  public static final String RANGE = "10.96.0.0/16";
  private static final String PREFIX = "10.96.";
  private static final int FIRST = 16; // the lowest are for services with a fixed address
  private static final int END = 0xFFFF;
  private static final int MOST_AT_ONCE = 4096; // services that are being created

  private final ObjectStore objects;
  private final ResourceType services;
  private final RandomGenerator random;
  private final Set<String> given = // and perhaps not stored yet; guarded by this
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > MOST_AT_ONCE;
            }
          });
  private final NodePorts ports;

  public ServiceAddresses(ObjectStore objects, ResourceType services, RandomGenerator random) {
    this.objects = objects;
    this.services = services;
    this.random = random;
    this.ports = new NodePorts(objects, services, random);
  }

  @Override
  public void toService(ObjectNode service, @Nullable ObjectNode old) throws Refused {
    var errors = ServiceRules.unavailable(service, old);
    if (!errors.isEmpty()) {
      throw new Refused(
          RefusalStatus.invalid(services.kind(), Meta.name(service), errors), List.of());
    }
    ports.assign(service, old);
    if (old == null) {
      assign(service);
    }
  }

  private void assign(ObjectNode object) throws Refused {
    var spec = object.get("spec") instanceof ObjectNode there ? there : object.putObject("spec");
    if (spec.path("type").asText("").equals("ExternalName")) {
      return;
    }
    var wanted = spec.path("clusterIP").asText(spec.path("clusterIPs").path(0).asText(""));
    if (wanted.equals("None")) {
      return;
    }
    if (!wanted.isEmpty()) {
      claim(object, wanted);
      return;
    }
    var address = next();
    spec.put("clusterIP", address);
    spec.putArray("clusterIPs").add(address);
  }

  private synchronized void claim(ObjectNode object, String address) throws Refused {
    if (!Addresses.isIpv4(address)) {
      return; // admission says what is wrong with it
    }
    if (!address.startsWith(PREFIX)) {
      throw refused(
          object,
          address,
          "the provided IP (%s) is not in the valid range. The range of valid IPs is %s"
              .formatted(address, RANGE));
    }
    if (used().contains(address)) {
      throw refused(object, address, "provided IP is already allocated");
    }
  }

  private Refused refused(ObjectNode object, String address, String problem) {
    var error =
        FieldError.invalid(
            FieldPath.of("spec", "clusterIPs"),
            List.of(address),
            "failed to allocate IP " + address + ": " + problem);
    return new Refused(
        RefusalStatus.invalid(services.kind(), Meta.name(object), List.of(error)), List.of());
  }

  private synchronized String next() throws Refused {
    var used = used();
    for (int attempt = 0; attempt < END; attempt++) {
      int number = FIRST + random.nextInt(END - FIRST);
      var address = PREFIX + (number >> 8) + "." + (number & 0xFF);
      if (!used.contains(address) && given.add(address)) {
        return address;
      }
    }
    throw new Refused(
        dev.regroup.server.wire.Status.internalError(
            "failed to allocate a serviceIP: range is full"));
  }

  private Set<String> used() {
    var used = new HashSet<String>();
    for (var entry : objects.list(services, "").entries()) {
      var spec = ObjectStore.tree(entry.value()).path("spec");
      used.add(spec.path("clusterIP").asText(""));
    }
    return used;
  }
}
