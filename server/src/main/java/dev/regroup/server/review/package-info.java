/**
 * Reviews: questions that are asked by creating an object and answered at once. Nothing is stored.
 *
 * <p>They ask the same ports every request is judged by. Start reading at {@link
 * dev.regroup.server.review.Reviews}.
 */
@NullMarked
package dev.regroup.server.review;

import org.jspecify.annotations.NullMarked;
