package dev.regroup.node.pod;

import dev.regroup.api.pod.StatusGuard;
import dev.regroup.client.ApiClient;
import dev.regroup.client.event.EventRecorder;
import dev.regroup.client.metric.Metrics;
import dev.regroup.node.env.Configs;
import dev.regroup.node.group.Groups;
import dev.regroup.node.image.Images;
import dev.regroup.node.progress.ProgramWatch;
import dev.regroup.node.service.Services;
import dev.regroup.node.volume.Claims;
import dev.regroup.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * What the drivers of all pods share.
 *
 * @param directory the node's own, for pods' volumes and records
 * @param resolvConf text of {@code /etc/resolv.conf} for a pod
 * @param services what containers are told about
 */
public record NodeServices(
    String nodeName,
    String hostIp,
    BigDecimal cpus,
    BigDecimal memory,
    Path directory,
    ContainerRuntime runtime,
    Images images,
    ApiClient api,
    EventRecorder events,
    Configs configs,
    Claims claims,
    Groups groups,
    NodeDisk disk,
    InstantSource clock,
    RestartObserver observer,
    Metrics metrics,
    RestartTelling telling,
    ProgramWatch programs,
    StatusGuard guard,
    StartsFirst starts,
    Function<Pod, String> resolvConf,
    Services services) {}
