package dev.regroup.api.cel;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelStringExtensions.Function;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.validator.CelValidator;
import dev.cel.validator.CelValidatorFactory;
import dev.cel.validator.validators.DurationLiteralValidator;
import dev.cel.validator.validators.HomogeneousLiteralValidator;
import dev.cel.validator.validators.RegexLiteralValidator;
import dev.cel.validator.validators.TimestampLiteralValidator;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What expressions may use: named variables with their shapes, and the functions of Kubernetes
 * 1.36. Compiles texts; immutable, any thread. Making the first one costs half a second, because it
 * loads the library: make it when something needs it.
 */
public final class CelEnvironment {

  /** Types that a place for an expression may want. */
  public enum Result {
    ANY(""),
    BOOL("bool"),
    STRING("string"),
    /** A text, or null for none. */
    STRING_OR_NULL("one of [string null_type]");

    private final String words;

    Result(String words) {
      this.words = words;
    }

    private boolean accepts(CelType type) {
      return switch (this) {
        case ANY -> true;
        case BOOL -> type.kind() == CelKind.BOOL;
        case STRING -> type.kind() == CelKind.STRING;
        case STRING_OR_NULL -> type.kind() == CelKind.STRING || type.kind() == CelKind.NULL_TYPE;
      };
    }
  }

  private static final int LONGEST = 100_000; // code points of one text
  private static final int DEEPEST = 100;

  /** What Kubernetes does not have, and what {@link TextFunctions} has. */
  private static final Set<Function> NOT_THE_LIBRARYS =
      EnumSet.of(Function.REVERSE, Function.REPLACE, Function.JOIN);

  private static final CelOptions OPTIONS =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .enableOptionalSyntax(true)
          .maxExpressionCodePointSize(LONGEST)
          .maxParseRecursionDepth(DEEPEST)
          .build();

  /** Where the parser complains; Kubernetes says what sort of complaint it is. */
  private static final Pattern SYNTAX =
      Pattern.compile(
          "(?m)^(ERROR: [^ ]+ )(?=token recognition error|extraneous input|mismatched input"
              + "|missing .* at |no viable alternative)");

  private final Map<String, CelShape> variables;
  private final Cel cel;
  private final CelValidator literals;

  private CelEnvironment(Map<String, CelShape> variables) {
    this.variables = variables;
    this.cel = build(variables);
    this.literals =
        CelValidatorFactory.standardCelValidatorBuilder(cel)
            .addAstValidators(
                DurationLiteralValidator.INSTANCE,
                TimestampLiteralValidator.INSTANCE,
                RegexLiteralValidator.INSTANCE,
                HomogeneousLiteralValidator.newInstance("format"))
            .build();
  }

  /** With these variables; a name may have a dot. */
  public static CelEnvironment of(Map<String, CelShape> variables) {
    return new CelEnvironment(new TreeMap<>(variables));
  }

  private static Cel build(Map<String, CelShape> variables) {
    var types = new ShapeTypes();
    var strings =
        Arrays.stream(Function.values())
            .filter(function -> !NOT_THE_LIBRARYS.contains(function))
            .collect(Collectors.toSet());
    var optional = CelExtensions.optional();
    var texts = CelExtensions.strings(strings);
    var lists = CelExtensions.lists();
    var sets = CelExtensions.sets(OPTIONS);
    var twoVariables = CelExtensions.comprehensions();
    var builder =
        CelFactory.legacyCelBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .setTypeProvider(types)
            .addCompilerLibraries(optional, texts, lists, sets, twoVariables)
            .addRuntimeLibraries(optional, texts, lists, sets, twoVariables);
    for (FunctionTable table : KubernetesFunctions.ALL) {
      builder.addFunctionDeclarations(table.declarations()).addFunctionBindings(table.bindings());
    }
    variables.forEach((name, shape) -> builder.addVar(name, types.type(shape)));
    return builder.build();
  }

  public CelCompiled compile(String text, Result wanted) {
    try {
      CelValidationResult checked = cel.compile(text);
      if (checked.hasError()) {
        return bad(checked);
      }
      CelAbstractSyntaxTree tree = checked.getAst();
      CelValidationResult read = literals.validate(tree);
      if (read.hasError()) {
        return bad(read);
      }
      Optional<String> misuse = ListFunctions.misuse(tree);
      if (misuse.isPresent()) {
        return new CelCompiled.Bad("compilation failed: ERROR: <input>:1:1: " + misuse.get());
      }
      CelType type = tree.getResultType();
      if (!wanted.accepts(type)) {
        return new CelCompiled.Bad(
            "must evaluate to " + wanted.words + " but got " + CelTypes.format(type));
      }
      return new CelCompiled.Good(new CelExpression(tree, cel.createProgram(tree)));
    } catch (CelValidationException | CelEvaluationException | RuntimeException e) {
      return new CelCompiled.Bad("compilation failed: ERROR: <input>:1:1: " + e.getMessage());
    } catch (StackOverflowError e) {
      return new CelCompiled.Bad("compilation failed: ERROR: <input>:1:1: nested too deeply");
    }
  }

  private static CelCompiled bad(CelValidationResult result) {
    String errors = SYNTAX.matcher(result.getErrorString()).replaceAll("$1Syntax error: ");
    return new CelCompiled.Bad("compilation failed: " + errors);
  }

  /** No values yet. */
  public CelVariables variables() {
    return new CelVariables(variables);
  }
}
