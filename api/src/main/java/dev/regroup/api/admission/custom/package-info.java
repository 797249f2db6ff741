/**
 * Admission of definitions of custom kinds, and of the objects of those kinds.
 *
 * <p>Whether a definition's names, versions and schemas are acceptable is decided here, with the
 * texts of Kubernetes; which definitions are served is the server's business. Start reading at
 * {@link DefinitionAdmission}.
 */
@NullMarked
package dev.regroup.api.admission.custom;

import org.jspecify.annotations.NullMarked;
