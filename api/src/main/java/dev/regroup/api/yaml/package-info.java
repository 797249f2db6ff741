/**
 * Manifests as people write them: YAML or JSON, one or many documents, with the place of every
 * field kept for error messages.
 *
 * <p>Input is limited in size, depth and expansion before anything is built from it. Nothing here
 * knows Kubernetes kinds. Start reading at {@link dev.regroup.api.yaml.YamlDocuments}.
 */
@NullMarked
package dev.regroup.api.yaml;

import org.jspecify.annotations.NullMarked;
