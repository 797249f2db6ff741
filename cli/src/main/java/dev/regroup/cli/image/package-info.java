/**
 * Container images made without Docker and without a registry: a Java runtime cut to size, the few
 * files of the C library it needs, a jar, its AOT cache and a launcher of some hundred bytes, laid
 * out as an OCI archive. Start reading at {@link dev.regroup.cli.image.AgentImage}.
 */
@NullMarked
package dev.regroup.cli.image;

import org.jspecify.annotations.NullMarked;
