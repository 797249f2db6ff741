/** Tests of the API server through its front door, and a program that starts one by hand. */
@NullMarked
package dev.regroup.server;

import org.jspecify.annotations.NullMarked;
