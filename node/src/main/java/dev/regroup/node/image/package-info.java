/**
 * Images of containers: which names are well-formed and which images count as present. Nothing is
 * pulled or unpacked here: until images are, the machine's own files stand for every one of them.
 * Start reading at {@link dev.regroup.node.image.Images}.
 */
@NullMarked
package dev.regroup.node.image;

import org.jspecify.annotations.NullMarked;
