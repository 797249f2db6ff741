/**
 * What a container's process is told: its environment, command and arguments.
 *
 * <p>Pure functions of a pod and of the configuration it names; nothing here starts anything or
 * keeps a value between two starts. Values of secrets pass through and are never put into a
 * message. Start reading at {@link Environment}.
 */
@NullMarked
package dev.regroup.node.env;

import org.jspecify.annotations.NullMarked;
