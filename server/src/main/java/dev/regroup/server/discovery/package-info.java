/**
 * What the server says about itself: groups, resources, OpenAPI, version and health.
 *
 * <p>Everything is derived from the catalog and the schema, when it is first asked for. Start
 * reading at {@link dev.regroup.server.discovery.Discovery}.
 */
@NullMarked
package dev.regroup.server.discovery;

import org.jspecify.annotations.NullMarked;
