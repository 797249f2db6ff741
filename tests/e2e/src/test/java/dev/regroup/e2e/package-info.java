/**
 * The product as its users meet it: the program as a process, over HTTPS, with real containers and
 * real crashes.
 *
 * <p>Every test leaves the machine as it found it. Start reading at {@link
 * dev.regroup.e2e.Program}.
 */
@NullMarked
package dev.regroup.e2e;

import org.jspecify.annotations.NullMarked;
