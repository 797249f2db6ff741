package dev.regroup.api.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.regroup.api.cel.CelShape.Plain;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Shapes as the compiler's types. A structure becomes known when something leads to it. */
@SuppressWarnings("Immutable") // the compiler only asks; what it is told of a name stays the same
final class ShapeTypes implements CelTypeProvider {
  private final Map<String, CelShape.Fields> structures = new ConcurrentHashMap<>();

  CelType type(CelShape shape) {
    return switch (shape) {
      case Plain plain -> plain(plain);
      case CelShape.ListOf(CelShape items) -> ListType.create(type(items));
      case CelShape.MapOf(CelShape values) -> MapType.create(SimpleType.STRING, type(values));
      case CelShape.Structure(String name, CelShape.Fields fields) -> {
        structures.putIfAbsent(name, fields);
        yield structure(name, fields);
      }
      case CelShape.OptionalOf(CelShape value) -> OptionalType.create(type(value));
      case ResultShape(CelType type) -> type;
    };
  }

  private static CelType plain(Plain plain) {
    return switch (plain) {
      case DYN -> SimpleType.DYN;
      case BOOL -> SimpleType.BOOL;
      case INT -> SimpleType.INT;
      case DOUBLE -> SimpleType.DOUBLE;
      case STRING -> SimpleType.STRING;
      case BYTES -> SimpleType.BYTES;
      case TIMESTAMP -> SimpleType.TIMESTAMP;
      case DURATION -> SimpleType.DURATION;
      case AUTHORIZER -> AuthorizerFunctions.AUTHORIZER;
      case RESOURCE_CHECK -> AuthorizerFunctions.RESOURCE_CHECK;
    };
  }

  private StructType structure(String name, CelShape.Fields fields) {
    return StructType.create(
        name, ImmutableSet.copyOf(fields.names()), field -> Optional.of(type(fields.shape(field))));
  }

  @Override
  public ImmutableCollection<CelType> types() {
    return ImmutableList.of(); // found by name only
  }

  @Override
  public Optional<CelType> findType(String name) {
    return Optional.ofNullable(structures.get(name)).map(fields -> structure(name, fields));
  }
}
