package dev.regroup.server.resource;

import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.server.select.SelectableFields;
import dev.regroup.server.table.TableView;
import dev.regroup.server.table.Tables;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Verb;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One kind of stored object: what it is called, what can be asked of it, how it is shown and how it
 * behaves.
 *
 * @param collection where the store keeps it; two versions of one kind share it
 * @param conversion how the served form differs from the stored one
 * @param customKind its schema, when a definition brought it along; null for built-in kinds
 */
public record ResourceType(
    GroupVersionKind kind,
    Names names,
    Scope scope,
    String collection,
    Conversion conversion,
    List<Verb> verbs,
    List<Subresource> subresources,
    Set<Trait> traits,
    KindStrategy strategy,
    SelectableFields selectable,
    TableView table,
    @Nullable CustomKind customKind) {

  static final List<Verb> ALL_VERBS =
      List.of(
          Verb.CREATE,
          Verb.DELETE,
          Verb.DELETECOLLECTION,
          Verb.GET,
          Verb.LIST,
          Verb.PATCH,
          Verb.UPDATE,
          Verb.WATCH);

  /** What a kind is called in addresses and on command lines. */
  public record Names(
      String plural,
      String singular,
      String listKind,
      List<String> shortNames,
      List<String> categories) {
    public Names {
      shortNames = List.copyOf(shortNames);
      categories = List.copyOf(categories);
    }
  }

  public enum Scope {
    NAMESPACED,
    CLUSTER
  }

  /** Where kinds differ with yes or no; what takes more words is in their strategy. */
  public enum Trait {
    /** Served like a custom resource: items of lists name their kind, no strategic merge. */
    CUSTOM,
    /** Holds pod specs, whose fields depend on gates. */
    GATED_FIELDS,
    /** Its addresses look as if they were inside of it (namespaces). */
    IS_NAMESPACE,
    /** May be written when the disk is full, because it tells of it (nodes). */
    USES_RESERVE,
    /** A delete answers with the object, not with a {@code Status}. */
    RETURNS_DELETED,
    /** A PUT to a name that does not exist creates it. */
    CREATE_ON_UPDATE,
    /** A PUT must say which version it replaces. */
    NEEDS_VERSION
  }

  public ResourceType {
    verbs = List.copyOf(verbs);
    subresources = List.copyOf(subresources);
    traits = Set.copyOf(traits);
  }

  public boolean has(Trait trait) {
    return traits.contains(trait);
  }

  public boolean namespaced() {
    return scope == Scope.NAMESPACED;
  }

  /** What is known of it when a definition brought it along. */
  public Optional<CustomKind> custom() {
    return Optional.ofNullable(customKind);
  }

  /** Whether it is a question, which nobody keeps. */
  public boolean isReview() {
    return strategy.actOfCreate().equals(Optional.of(Act.REVIEW));
  }

  /** What messages call it: the resource as it is stored. */
  public GroupResource groupResource() {
    return new GroupResource(storedKind().group(), names.plural());
  }

  public GroupVersionKind storedKind() {
    return conversion.storedKind().orElse(kind);
  }

  public Optional<Subresource> subresource(String name) {
    return subresources.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** Key of an object in the store. */
  public String key(String namespace, String name) {
    return namespaced() ? namespace + "/" + name : name;
  }

  public static Builder named(GroupVersionKind kind, String plural) {
    return new Builder(kind, plural);
  }

  /** Collects what differs from the usual. */
  public static final class Builder {
    private final GroupVersionKind kind;
    private final String plural;
    private final List<String> shortNames = new ArrayList<>();
    private final List<String> categories = new ArrayList<>();
    private final List<Subresource> subresources = new ArrayList<>();
    private final Set<Trait> traits = EnumSet.noneOf(Trait.class);
    private KindStrategy strategy = KindStrategy.STANDARD;
    private List<Verb> verbs = ALL_VERBS;
    private Scope scope = Scope.NAMESPACED;
    private String collection;
    private Conversion conversion = Conversion.NONE;
    private SelectableFields selectable = SelectableFields.STANDARD;
    private TableView table = Tables.PLAIN;
    private String singular;
    private String listKind;
    private @Nullable CustomKind customKind;

    private Builder(GroupVersionKind kind, String plural) {
      this.kind = kind;
      this.plural = plural;
      this.collection = new GroupResource(kind.group(), plural).toString();
      this.singular = kind.kind().toLowerCase(Locale.ROOT);
      this.listKind = kind.kind() + "List";
    }

    public Builder shortName(String name) {
      shortNames.add(name);
      return this;
    }

    /** Other names than those that follow from the kind. */
    public Builder called(String one, String list) {
      singular = one;
      listKind = list;
      return this;
    }

    public Builder category(String name) {
      categories.add(name);
      return this;
    }

    public Builder cluster() {
      scope = Scope.CLUSTER;
      return this;
    }

    /** Another form of objects that the store keeps as {@code other}. */
    public Builder formOf(ResourceType other, Conversion how) {
      collection = other.collection();
      conversion = how;
      return this;
    }

    /** Stored in another version, or under another schema, than it is served in. */
    public Builder converted(Conversion how) {
      conversion = how;
      return this;
    }

    /** Brought along by a definition. */
    public Builder custom(CustomKind custom) {
      customKind = custom;
      return trait(Trait.CUSTOM).trait(Trait.NEEDS_VERSION);
    }

    /** All verbs, in the order that custom kinds have them in. */
    public Builder customVerbs() {
      return verbs(
          Verb.DELETE,
          Verb.DELETECOLLECTION,
          Verb.GET,
          Verb.LIST,
          Verb.PATCH,
          Verb.CREATE,
          Verb.UPDATE,
          Verb.WATCH);
    }

    public Builder verbs(Verb... some) {
      verbs = List.of(some);
      return this;
    }

    public Builder status() {
      return subresource("status", kind, Subresource.READ_WRITE, Act.STATUS);
    }

    public Builder subresource(String name, GroupVersionKind ofKind, List<Verb> some, Act act) {
      subresources.add(new Subresource(name, ofKind, some, act));
      return this;
    }

    public Builder trait(Trait trait) {
      traits.add(trait);
      return this;
    }

    public Builder strategy(KindStrategy behaviour) {
      strategy = behaviour;
      return this;
    }

    public Builder selectable(SelectableFields fields) {
      selectable = fields;
      return this;
    }

    public Builder table(TableView view) {
      table = view;
      return this;
    }

    public ResourceType build() {
      return new ResourceType(
          kind,
          new Names(plural, singular, listKind, shortNames, categories),
          scope,
          collection,
          conversion,
          verbs,
          subresources,
          traits,
          strategy,
          selectable,
          table,
          customKind);
    }
  }
}
