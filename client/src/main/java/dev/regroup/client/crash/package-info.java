/**
 * Where tests may end the whole program at once: controllers and node reach the same kind of point
 * before and after what they do. Nothing here does anything in production. Start reading at {@link
 * dev.regroup.client.crash.CrashPoint}.
 */
@NullMarked
package dev.regroup.client.crash;

import org.jspecify.annotations.NullMarked;
