package dev.regroup.api.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.core.CoreAdmission;
import dev.regroup.api.admission.custom.CustomAdmission;
import dev.regroup.api.admission.custom.DefinitionAdmission;
import dev.regroup.api.admission.job.JobAdmission;
import dev.regroup.api.admission.jobset.JobSetAdmission;
import dev.regroup.api.admission.jobset.PodPlacement;
import dev.regroup.api.admission.jobset.UnheededRules;
import dev.regroup.api.admission.pod.PodAdditions;
import dev.regroup.api.admission.pod.PodAdmission;
import dev.regroup.api.admission.pod.PodTemplateAdmission;
import dev.regroup.api.admission.review.AdmissionChain;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The front door: takes a decoded object through the chain, for every kind the server stores.
 *
 * <ol>
 *   <li>the kind folds other spellings and fills in defaults;
 *   <li>mutating plugins add what they add, then those links from outside that change objects;
 *   <li>the kind keeps what the request may not touch and checks everything;
 *   <li>validating plugins look at what would be stored, then those from outside.
 * </ol>
 *
 * <p>The caller has decoded the tree ({@code Decoder}) and has set {@code metadata.name} (also from
 * generateName), {@code namespace}, {@code uid} and {@code creationTimestamp} of a new object; it
 * sets {@code resourceVersion} afterwards. Admission sets {@code generation}, the first status, and
 * on updates keeps what the request may not touch (status or spec, uid, times). The given trees are
 * never changed. Any thread; the random source is used for name suffixes only.
 */
public final class Admission implements AdmissionLink<RuntimeException> {

  private final Map<String, KindAdmission> kinds;
  private final KindAdmission others;
  private final AdmissionChain<RuntimeException> beginning;
  private final AdmissionChain<RuntimeException> end;

  public Admission(AdmissionSettings settings, RandomGenerator random) {
    this(settings, Schema.of(settings.gates(), settings.decoding()), random);
  }

  /**
   * @param schema of these settings, made already
   */
  public Admission(AdmissionSettings settings, Schema schema, RandomGenerator random) {
    this.kinds =
        Map.of(
            "/Pod", new PodAdmission(settings),
            "/PodTemplate", new PodTemplateAdmission(settings),
            "batch/Job", new JobAdmission(settings),
            "jobset.x-k8s.io/JobSet", new JobSetAdmission(settings, schema),
            "apiextensions.k8s.io/CustomResourceDefinition", new DefinitionAdmission());
    this.others = new CoreAdmission(settings.gates());
    var additions = new PodAdditions(settings, random);
    boolean placing = settings.placement() == AdmissionSettings.Placement.HERE;
    List<AdmissionLink<RuntimeException>> first =
        placing
            ? List.of(this::fill, additions, PodPlacement::place)
            : List.of(this::fill, additions);
    List<AdmissionLink<RuntimeException>> last =
        placing
            ? List.of(this::judge, PodPlacement::check, UnheededRules::warn)
            : List.of(this::judge);
    this.beginning = new AdmissionChain<>(first);
    this.end = new AdmissionChain<>(last);
  }

  @Override
  public Admitted admit(Review review, Lookup lookup) {
    return new AdmissionChain<RuntimeException>(List.of(beginning, end)).admit(own(review), lookup);
  }

  /**
   * This admission with links from outside in their places: webhooks, policies, quotas. They may
   * wait.
   */
  public AdmissionLink<InterruptedException> with(
      List<AdmissionLink<InterruptedException>> mutating,
      List<AdmissionLink<InterruptedException>> validating) {
    var links = new ArrayList<AdmissionLink<InterruptedException>>();
    links.add(beginning::admit);
    links.addAll(mutating);
    links.add(end::admit);
    links.addAll(validating);
    var chain = new AdmissionChain<>(links);
    var outside = new ArrayList<>(mutating);
    outside.addAll(validating);
    var others = new AdmissionChain<>(outside); // of what is not stored kinds know nothing
    return (review, lookup) ->
        (review.operation().writes() ? chain : others).admit(own(review), lookup);
  }

  /** The object of a write as its kind fills it in, before anybody else looks at it. */
  public ObjectNode filled(Review review) {
    var own = own(review);
    return of(own, Lookup.NOTHING).fill(own).object();
  }

  /** The links change the object; the caller keeps its own. */
  private static Review own(Review review) {
    return new Review(
        review.kind(),
        review.operation(),
        review.isOf("", "Pod") ? ownPod(review) : review.object().deepCopy(),
        review.old(),
        review.found(),
        review.request());
  }

  /** Most writes of a pod are about its status or its metadata: what it keeps is not copied. */
  private static ObjectNode ownPod(Review review) {
    var kept =
        switch (review.operation()) {
          case UPDATE -> Set.of("spec", "status");
          case UPDATE_STATUS -> Set.of("spec");
          case CREATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE, DELETE, CONNECT, ACT ->
              Set.<String>of();
        };
    var own = Wire.object();
    for (var part : review.object().properties()) {
      var name = part.getKey();
      boolean shared = kept.contains(name) && review.keeps(name);
      own.set(name, shared ? part.getValue() : part.getValue().deepCopy());
    }
    return own;
  }

  private Admitted fill(Review review, Lookup lookup) {
    return of(review, lookup).fill(review);
  }

  private Admitted judge(Review review, Lookup lookup) {
    return of(review, lookup).judge(review, lookup);
  }

  private KindAdmission of(Review review, Lookup lookup) {
    var custom = lookup.custom(review.kind());
    return custom.isPresent()
        ? new CustomAdmission(custom.get())
        : kinds.getOrDefault(review.kind().group() + "/" + review.kind().kind(), others);
  }
}
