package dev.regroup.client.informer;

import dev.regroup.client.ObjectKey;

/**
 * What an informer keeps of one object.
 *
 * @param uid tells two objects of the same name apart
 * @param resourceVersion the state that {@code value} was made from
 * @param value the slim projection
 */
public record Item<S>(ObjectKey key, String uid, String resourceVersion, S value) {}
