/**
 * Manifests: read from files, found fault with at the line they are wrong in, and applied.
 *
 * <p>Never changes a file. Start reading at {@link dev.regroup.cli.manifest.Manifests}.
 */
@NullMarked
package dev.regroup.cli.manifest;

import org.jspecify.annotations.NullMarked;
