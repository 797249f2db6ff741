package dev.regroup.api.cel;

import dev.cel.common.types.CelType;

/** The shape of what an expression gives, in the library's words. */
record ResultShape(CelType type) implements CelShape {}
