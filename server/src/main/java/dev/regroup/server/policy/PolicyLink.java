package dev.regroup.server.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.cel.CelBudget;
import dev.regroup.api.policy.CompiledPolicy;
import dev.regroup.api.policy.PolicyCheck;
import dev.regroup.api.policy.PolicyCheck.Objection;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.admission.SeenRequest;
import dev.regroup.server.objects.DerivedObjects;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.resource.ServedKinds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The link that asks validating admission policies. A policy counts when a binding names it; the
 * first objection of a binding that denies refuses the request, others become warnings. Without
 * bindings it costs one look at a number.
 *
 * <p>Policies are compiled when the first request after a change needs them; the others wait.
 */
public final class PolicyLink implements AdmissionLink<InterruptedException> {
  private static final String GROUP = "admissionregistration.k8s.io";
  private static final long STEPS = 10_000_000; // for all expressions of a policy
  private static final Duration TIME = Duration.ofSeconds(5);

  /** Nobody can lock the door behind which the key is. */
  private static final Set<String> EXEMPT =
      Set.of("validatingadmissionpolicies", "validatingadmissionpolicybindings");

  private final ObjectStore objects;
  private final ServedKinds kinds;
  private final Authorizer authorizer;
  private final LongSupplier nanos;
  private final DerivedObjects<CompiledPolicy> policies;
  private final DerivedObjects<PolicyBinding> bindings;

  /** A refusal, if there is one yet, and what else is said. */
  private static final class Verdict {
    private final List<String> warnings = new ArrayList<>();
    private final List<ObjectNode> refusals = new ArrayList<>();
  }

  /**
   * Over what is stored.
   *
   * @param nanos a clock that only goes on
   */
  public PolicyLink(
      ObjectStore objects, ServedKinds kinds, Authorizer authorizer, LongSupplier nanos) {
    this.objects = objects;
    this.kinds = kinds;
    this.authorizer = authorizer;
    this.nanos = nanos;
    var catalog = kinds.now().catalog();
    this.policies =
        new DerivedObjects<>(
            objects, type(catalog, "validatingadmissionpolicies"), CompiledPolicy::of);
    this.bindings =
        new DerivedObjects<>(
            objects, type(catalog, "validatingadmissionpolicybindings"), PolicyBinding::of);
  }

  private static ResourceType type(Catalog catalog, String plural) {
    return catalog.find(GROUP, "v1", plural).orElseThrow();
  }

  /** Compiles what is stored and bound; a request that comes meanwhile waits. Whether any is. */
  public boolean getAhead() {
    return !bindings.all().isEmpty() && !policies.all().isEmpty();
  }

  @Override
  public Admitted admit(Review review, Lookup lookup) {
    var bound = bindings.all();
    if (bound.isEmpty() || isExempt(review)) {
      return review.unchanged();
    }
    var served = kinds.now();
    var seen = SeenRequest.of(review, served, objects);
    if (seen.isEmpty()) {
      return review.unchanged();
    }
    var verdict = new Verdict();
    for (var policy : policies.all()) {
      ask(policy, bound, seen.get(), served, verdict);
    }
    var passed = review.passed(verdict.warnings, review.found());
    return verdict.refusals.isEmpty()
        ? passed
        : new Admitted(
            review.object(), verdict.warnings, review.found(), verdict.refusals.getFirst());
  }

  private static boolean isExempt(Review review) {
    return review.kind().group().equals(GROUP) && EXEMPT.contains(review.request().resource());
  }

  private void ask(
      CompiledPolicy policy,
      List<PolicyBinding> bound,
      SeenRequest seen,
      KindSet served,
      Verdict verdict) {
    var form = seen.formFor(policy.match());
    if (form.isEmpty() || !seen.selectedBy(policy.match())) {
      return;
    }
    for (var binding : bound) {
      boolean here =
          binding.policy().equals(policy.name())
              && (binding.match().isEmpty()
                  || (binding.match().get().includes(form.get().target())
                      && seen.selectedBy(binding.match().get())));
      if (here) {
        note(binding, policy, seen, objections(policy, binding, seen, form.get(), served), verdict);
      }
    }
  }

  private List<Objection> objections(
      CompiledPolicy policy,
      PolicyBinding binding,
      SeenRequest seen,
      SeenRequest.Form form,
      KindSet served) {
    var found = new PolicyParameters(objects, served).of(policy, binding, seen.namespaceName());
    return switch (found) {
      case PolicyParameters.Found.NotNeeded _ -> List.of();
      case PolicyParameters.Found.Problem(String text) ->
          policy.failsClosed() ? List.of(new Objection(text, "")) : List.of();
      case PolicyParameters.Found.Some(List<JsonNode> parameters) -> {
        var budget = CelBudget.of(STEPS, TIME, nanos);
        var all = new ArrayList<Objection>();
        for (var one : parameters) {
          all.addAll(check(policy, seen, form, one, budget).objections());
        }
        yield all;
      }
    };
  }

  private PolicyCheck check(
      CompiledPolicy policy,
      SeenRequest seen,
      SeenRequest.Form form,
      JsonNode parameters,
      CelBudget budget) {
    var values = seen.tell(policy.values().get(), form, authorizer);
    if (policy.paramKind().isPresent()) {
      values.set("params", parameters);
    }
    return new PolicyCheck(policy, values, budget);
  }

  private static void note(
      PolicyBinding binding,
      CompiledPolicy policy,
      SeenRequest seen,
      List<Objection> objections,
      Verdict verdict) {
    for (var objection : objections) {
      var who =
          "ValidatingAdmissionPolicy '%s' with binding '%s'"
              .formatted(policy.name(), binding.name());
      if (binding.denies()) {
        verdict.refusals.add(
            refusal(seen, who + " denied request: " + objection.message(), objection.reason()));
      } else if (binding.warns()) {
        verdict.warnings.add("Validation failed for " + who + ": " + objection.message());
      }
    }
  }

  private static ObjectNode refusal(SeenRequest seen, String message, String reason) {
    var target = seen.requested().target();
    var status = RefusalStatus.forbidden(target.group(), target.resource(), target.name(), message);
    status.put("reason", reason.isEmpty() ? "Invalid" : reason);
    status.withObject("/details").putArray("causes").addObject().put("message", message);
    status.put(
        "code",
        switch (reason) {
          case "Forbidden" -> 403;
          case "Unauthorized" -> 401;
          case "RequestEntityTooLarge" -> 413;
          default -> 422;
        });
    return status;
  }
}
