package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.cel.CelBudget;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.admission.SeenRequest;
import dev.regroup.server.objects.DerivedObjects;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.patch.JsonPatch;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ServedKinds;
import dev.regroup.server.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The links that ask webhooks. Those that may change an object are asked one after the other, by
 * the names of their configurations; when a later one changed something, those that want it are
 * asked once more. Those that only judge are asked side by side. Without configurations each costs
 * one look at a number.
 */
public final class WebhookLinks implements AutoCloseable {
  private static final String GROUP = "admissionregistration.k8s.io";
  private static final long STEPS = 2_500_000; // for the conditions of a webhook
  private static final Duration TIME = Duration.ofSeconds(5);

  /** Nobody can lock the door behind which the key is. */
  private static final Set<String> EXEMPT =
      Set.of(
          "mutatingwebhookconfigurations",
          "validatingwebhookconfigurations",
          "validatingadmissionpolicies",
          "validatingadmissionpolicybindings");

  /** What the links work with. */
  public record Parts(
      ObjectStore objects,
      ServedKinds kinds,
      Authorizer authorizer,
      Function<Review, ObjectNode> filled,
      RandomGenerator random,
      LongSupplier nanos) {}

  private final Parts parts;
  private final WebhookCaller caller;
  private final DerivedObjects<List<Webhook>> mutating;
  private final DerivedObjects<List<Webhook>> validating;

  /** A webhook that is to be asked, and the form it wants the object in. */
  private record Due(Webhook webhook, SeenRequest.Form form) {}

  /** Ends a request. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final transient ObjectNode status;

    Refusal(ObjectNode status) {
      super(status.path("message").asText(), null, false, false);
      this.status = status;
    }
  }

  /**
   * Over what is stored.
   *
   * @param parts among them how a kind fills in an object that a webhook changed
   */
  public WebhookLinks(Parts parts) {
    this.parts = parts;
    this.caller = new WebhookCaller(new ServiceEndpoints(parts.objects(), parts.kinds()));
    this.mutating = webhooks("mutatingwebhookconfigurations");
    this.validating = webhooks("validatingwebhookconfigurations");
  }

  private DerivedObjects<List<Webhook>> webhooks(String plural) {
    ResourceType type = parts.kinds().now().catalog().find(GROUP, "v1", plural).orElseThrow();
    return new DerivedObjects<>(parts.objects(), type, Webhook::listOf);
  }

  @Override
  public void close() {
    caller.close();
  }

  /** Asks those that may change the object. */
  public AdmissionLink<InterruptedException> mutating() {
    return this::mutate;
  }

  /** Asks those that judge it. */
  public AdmissionLink<InterruptedException> validating() {
    return this::validate;
  }

  private Admitted mutate(Review review, Lookup lookup) throws InterruptedException {
    var all = mutating.all();
    if (all.isEmpty() || isExempt(review)) {
      return review.unchanged();
    }
    var warnings = new ArrayList<String>();
    var asked = new ArrayList<Webhook>();
    var stale = new HashSet<Webhook>();
    var current = review;
    try {
      for (var webhook : all.stream().flatMap(List::stream).toList()) {
        var next = ask(webhook, current, warnings);
        boolean changed = !next.object().equals(current.object());
        if (changed) {
          stale.addAll(asked);
        }
        asked.add(webhook);
        current = next;
      }
      for (var webhook : asked) {
        if (webhook.again() && stale.contains(webhook)) {
          current = ask(webhook, current, warnings);
        }
      }
    } catch (Refusal refusal) {
      return new Admitted(review.object(), warnings, review.found(), refusal.status);
    }
    return current.passed(warnings, review.found());
  }

  /** The review as this webhook leaves it. */
  private Review ask(Webhook webhook, Review review, List<String> warnings)
      throws Refusal, InterruptedException {
    var seen = SeenRequest.of(review, parts.kinds().now(), parts.objects());
    var due = seen.isEmpty() ? Optional.<Due>empty() : due(webhook, seen.get());
    if (due.isEmpty()) {
      return review;
    }
    try {
      var answer = answer(due.get(), seen.get());
      warnings.addAll(answer.warnings());
      if (answer.refusal().isPresent()) {
        throw new Refusal(answer.refusal().get());
      }
      if (answer.patch().isEmpty() || !review.operation().writes()) {
        return review;
      }
      var object = seen.get().object(due.get().form());
      if (object == null) {
        return review;
      }
      var patched = JsonPatch.apply(object, answer.patch().get());
      if (!(patched instanceof ObjectNode changed)) {
        throw new WebhookCaller.NoAnswer("the patch leaves no object", null);
      }
      var own = seen.get().requested(due.get().form(), changed);
      return with(review, parts.filled().apply(with(review, own)));
    } catch (JsonPatch.CannotApply e) {
      failed(webhook, String.valueOf(e.getMessage()));
      return review;
    } catch (WebhookCaller.NoAnswer e) {
      failed(webhook, String.valueOf(e.getMessage()));
      return review;
    }
  }

  private static Review with(Review review, ObjectNode object) {
    return new Review(
        review.kind(), review.operation(), object, review.old(), review.found(), review.request());
  }

  /** Refuses, unless failures of this webhook do not count. */
  private static void failed(Webhook webhook, String problem) throws Refusal {
    if (webhook.failsClosed()) {
      throw new Refusal(
          Status.internalError("failed calling webhook \"" + webhook.name() + "\": " + problem)
              .toJson());
    }
  }

  private Admitted validate(Review review, Lookup lookup) throws InterruptedException {
    var all = validating.all();
    if (all.isEmpty() || isExempt(review)) {
      return review.unchanged();
    }
    var seen = SeenRequest.of(review, parts.kinds().now(), parts.objects());
    if (seen.isEmpty()) {
      return review.unchanged();
    }
    var warnings = new ArrayList<String>();
    try {
      var due = new ArrayList<Due>();
      for (var webhook : all.stream().flatMap(List::stream).toList()) {
        due(webhook, seen.get()).ifPresent(due::add);
      }
      judge(due, seen.get(), warnings);
    } catch (Refusal refusal) {
      return new Admitted(review.object(), warnings, review.found(), refusal.status);
    }
    return review.passed(warnings, review.found());
  }

  private void judge(List<Due> due, SeenRequest seen, List<String> warnings)
      throws Refusal, InterruptedException {
    if (due.isEmpty()) {
      return;
    }
    seen.namespace(); // made before several threads look at it
    var answers = new ArrayList<Future<WebhookAnswer>>();
    try (var asking =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("webhook-", 0).factory())) {
      due.forEach(one -> answers.add(asking.submit(() -> answer(one, seen))));
      for (int i = 0; i < due.size(); i++) {
        judge(due.get(i).webhook(), answers.get(i), warnings);
      }
    }
  }

  private static void judge(Webhook webhook, Future<WebhookAnswer> answer, List<String> warnings)
      throws Refusal, InterruptedException {
    try {
      var said = answer.get();
      warnings.addAll(said.warnings());
      if (said.refusal().isPresent()) {
        throw new Refusal(said.refusal().get());
      }
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof WebhookCaller.NoAnswer none)) {
        throw new IllegalStateException("asking a webhook failed", e.getCause());
      }
      failed(webhook, String.valueOf(none.getMessage()));
    }
  }

  private WebhookAnswer answer(Due due, SeenRequest seen)
      throws WebhookCaller.NoAnswer, InterruptedException {
    var webhook = due.webhook();
    var uid = Meta.newUid(parts.random());
    var review = Wire.object();
    review
        .put("kind", "AdmissionReview")
        .put("apiVersion", "admission.k8s.io/" + webhook.version());
    var request = review.putObject("request");
    request.put("uid", uid);
    request.setAll(seen.facts(due.form()));
    put(request, "object", seen.object(due.form()), due.form());
    put(request, "oldObject", seen.old(due.form()), due.form());
    return WebhookAnswer.of(webhook.name(), webhook.version(), uid, caller.call(webhook, review));
  }

  private static void put(
      ObjectNode request, String field, @Nullable ObjectNode object, SeenRequest.Form form) {
    if (object == null) {
      request.putNull(field);
      return;
    }
    var sent = object.deepCopy();
    if (!sent.has("kind")) {
      sent.put("kind", form.type().kind().kind())
          .put("apiVersion", form.type().kind().apiVersion());
    }
    request.set(field, sent);
  }

  private static boolean isExempt(Review review) {
    return review.kind().group().equals(GROUP) && EXEMPT.contains(review.request().resource());
  }

  private Optional<Due> due(Webhook webhook, SeenRequest seen) throws Refusal {
    var criteria = webhook.match();
    if (criteria.rules().isEmpty()) {
      return Optional.empty(); // a webhook without rules is about nothing
    }
    var form = seen.formFor(criteria);
    if (form.isEmpty() || !seen.selectedBy(criteria)) {
      return Optional.empty();
    }
    if (webhook.conditions().isEmpty()) {
      return Optional.of(new Due(webhook, form.get()));
    }
    var met = met(webhook, seen, form.get());
    if (met.problem().isPresent() && webhook.failsClosed()) {
      var target = seen.requested().target();
      throw new Refusal(
          RefusalStatus.forbidden(
              target.group(), target.resource(), target.name(), met.problem().get()));
    }
    return met.all() ? Optional.of(new Due(webhook, form.get())) : Optional.empty();
  }

  private WebhookConditions.Met met(Webhook webhook, SeenRequest seen, SeenRequest.Form form) {
    var values = seen.tell(webhook.conditions().values().get(), form, parts.authorizer());
    return webhook.conditions().met(values, CelBudget.of(STEPS, TIME, parts.nanos()));
  }
}
