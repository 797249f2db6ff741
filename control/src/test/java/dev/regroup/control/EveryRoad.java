package dev.regroup.control;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every test of the class goes every {@link Road}, with a server and a directory of its own. Says
 * that it may run beside others: JUnit's default for classes does not reach those with parameters,
 * and they would wait in line.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass
@EnumSource(Road.class)
@Execution(ExecutionMode.CONCURRENT)
public @interface EveryRoad {}
