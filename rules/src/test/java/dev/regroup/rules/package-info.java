/** Tests of the decision on one exit. Start reading at {@code ExitDecisionTest}. */
@NullMarked
package dev.regroup.rules;

import org.jspecify.annotations.NullMarked;
