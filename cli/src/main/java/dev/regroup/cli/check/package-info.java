/**
 * What is wrong or risky about a manifest, said before anything runs it.
 *
 * <p>The verdict comes from the schema and from {@code dev.regroup.api.admission}, the same code
 * the server runs; traps are found by asking {@code dev.regroup.rules}. Nothing here reads files or
 * prints. Start reading at {@link dev.regroup.cli.check.ObjectCheck}.
 */
@NullMarked
package dev.regroup.cli.check;

import org.jspecify.annotations.NullMarked;
