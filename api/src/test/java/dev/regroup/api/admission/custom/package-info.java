/** Tests of definitions of custom kinds. */
@NullMarked
package dev.regroup.api.admission.custom;

import org.jspecify.annotations.NullMarked;
