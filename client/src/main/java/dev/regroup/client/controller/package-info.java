/**
 * The one shape of a controller: feeds that several of them read, a queue of keys, and workers that
 * begin when everything is known. No controller writes a loop of its own.
 *
 * <p>Start reading at {@link dev.regroup.client.controller.ControllerLoop}.
 */
@NullMarked
package dev.regroup.client.controller;

import org.jspecify.annotations.NullMarked;
