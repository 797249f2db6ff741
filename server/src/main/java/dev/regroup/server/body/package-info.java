/**
 * What comes in and what goes out: requests as objects of an expected kind, objects in the form a
 * client accepts. JSON, YAML and protobuf meet here; only lists and watches, which are written item
 * by item, know more of them.
 *
 * <p>Nothing here reads or writes the store. Start reading at {@link dev.regroup.server.body.Call},
 * then {@code Bodies} and {@code Presenter}.
 */
@NullMarked
package dev.regroup.server.body;

import org.jspecify.annotations.NullMarked;
