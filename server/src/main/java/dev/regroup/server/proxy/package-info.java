/**
 * Requests that are passed on to a node, a pod or a service, and their answers.
 *
 * <p>Where to is decided by objects, never by the client: it names an object and a port. Start
 * reading at {@link dev.regroup.server.proxy.HttpForwarder}.
 */
@NullMarked
package dev.regroup.server.proxy;

import org.jspecify.annotations.NullMarked;
