package dev.regroup.rules;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Decisions are pure: no clock, thread, chance, file, socket, logger, no library at all. */
class PurityTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.regroup.rules");

  @Test
  void uses_only_values_of_the_jdk() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "dev.regroup.rules..",
                    "java.lang",
                    "java.lang.invoke",
                    "java.lang.runtime",
                    "java.time",
                    "java.util",
                    "java.util.function",
                    "java.util.regex",
                    "java.util.stream",
                    "org.jspecify.annotations",
                    "java.nio.charset")
                .or(belongToAnyOf(MessageDigest.class, NoSuchAlgorithmException.class)))
        .check(CLASSES);
  }

  @Test
  void never_asks_a_clock() {
    noClasses().should().callMethod(Instant.class, "now").check(CLASSES);
    noClasses().should().callMethod(LocalDateTime.class, "now").check(CLASSES);
    noClasses().should().callMethod(ZonedDateTime.class, "now").check(CLASSES);
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(CLASSES);
    noClasses().should().callMethod(System.class, "nanoTime").check(CLASSES);
    noClasses().should().dependOnClassesThat().areAssignableTo(Clock.class).check(CLASSES);
  }

  @Test
  void never_throws_dice_starts_threads_prints_or_logs() {
    noClasses().should().dependOnClassesThat().areAssignableTo(Random.class).check(CLASSES);
    noClasses()
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ThreadLocalRandom.class)
        .check(CLASSES);
    noClasses().should().dependOnClassesThat().areAssignableTo(Thread.class).check(CLASSES);
    noClasses().should().accessField(System.class, "out").check(CLASSES);
    noClasses().should().accessField(System.class, "err").check(CLASSES);
    noClasses().should().callMethod(Math.class, "random").check(CLASSES);
    noClasses().should().dependOnClassesThat().areAssignableTo(System.Logger.class).check(CLASSES);
  }

  @Test
  void keeps_no_state_between_calls() {
    fields().that().areStatic().should().beFinal().check(CLASSES);
  }

  @Test
  void the_vocabulary_does_not_know_the_plans() {
    noClasses()
        .that()
        .resideInAPackage("dev.regroup.rules")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.regroup.rules.pod..",
            "dev.regroup.rules.group..",
            "dev.regroup.rules.job..",
            "dev.regroup.rules.jobset..")
        .check(CLASSES);
  }
}
