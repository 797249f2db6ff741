package dev.regroup.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.control.jobset.JobSetPlace;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.https.Pki;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** The real server in this process and all controllers at the end of a road; no node. */
public final class ControlPlane implements AutoCloseable {

  private static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final RandomGenerator random = RandomGenerator.getDefault();
  private final BugFiles bugs;
  private final CrashPoint crashPoint;
  private final SeenFigures figures = new SeenFigures();
  private final ApiServer server;
  private final Road.Way way;
  private Controllers controllers;
  private final Semaphore refused = new Semaphore(0);
  private volatile Predicate<Request> unwanted = _ -> false;
  private volatile String refusal = "{}";
  private final LateWatches late = new LateWatches();

  public ControlPlane(Path directory, Road road) throws Exception {
    this(directory, road, BugFiles.NONE, CrashPoint.NONE);
  }

  public ControlPlane(Path directory, Road road, BugFiles bugs, CrashPoint crashPoint)
      throws Exception {
    this.bugs = bugs;
    this.crashPoint = crashPoint;
    server =
        ApiServer.open(
            new ApiServer.Settings(
                certified(directory), 0, Gates.product(), InstantSource.system(), random));
    way = road.to(server);
    controllers = controllers();
  }

  /** Puts certificates into a server's directory: to make them takes longer than most tests. */
  public static Path certified(Path directory) throws IOException {
    PKI.at(directory.resolve("pki"));
    return directory;
  }

  public Transport admin() {
    return way.as(Identity.admin());
  }

  /** What the controllers counted. */
  public SeenFigures figures() {
    return figures;
  }

  /** Does something while no controller runs, then starts them again. */
  public void withoutControllers(Outage outage) throws Exception {
    controllers.close();
    outage.run();
    controllers = controllers();
  }

  /** What happens meanwhile. */
  public interface Outage {
    void run() throws Exception;
  }

  /** From now on such requests of controllers are answered with this {@code Status}. */
  public void refuse(Predicate<Request> requests, String status) {
    refusal = status;
    unwanted = requests;
  }

  /** Waits until a controller got such an answer. */
  public void awaitRefusal() throws InterruptedException {
    refused.acquire();
  }

  /** From now on controllers hear nothing of what these watches tell, until the time is over. */
  public void hold(Predicate<Request> watches) {
    late.hold(watches);
  }

  public void release() {
    late.release();
  }

  private Transport withRefusals(Transport real) {
    return new Transport() {
      @Override
      public Response send(Request request) throws Unreachable, InterruptedException {
        if (!unwanted.test(request)) {
          return real.send(request);
        }
        refused.release();
        var body = Wire.tree(refusal);
        return new Response(body.path("code").asInt(), Headers.NONE, Wire.write(body));
      }

      @Override
      public Stream open(Request request) throws Unreachable, InterruptedException {
        return real.open(request);
      }
    };
  }

  /** Creates an object; fails with the server's answer when it is refused. */
  public ObjectNode post(String path, String json) throws Exception {
    var response =
        admin().send(Request.of("POST", path, "application/json", Wire.write(Wire.tree(json))));
    var body = Wire.tree(response.body());
    assertThat(response.ok()).as("%s: %s", path, body).isTrue();
    return body;
  }

  @Override
  public void close() throws Exception {
    release();
    controllers.close();
    way.close();
    server.close();
  }

  private Controllers controllers() {
    return Controllers.start(
        name -> withRefusals(late.over(way.as(Identity.controller(name)))),
        new Controllers.Settings(
            Gates.product(),
            InstantSource.system(),
            random,
            crashPoint,
            Scheduler.Requests.WEIGHED,
            NodeLossSettings.DEFAULT,
            bugs,
            figures,
            JobSetPlace.LOCAL));
  }
}
