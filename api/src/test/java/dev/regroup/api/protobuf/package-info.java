/** Tests of the protobuf form of objects, against bytes that Go programs have written. */
@NullMarked
package dev.regroup.api.protobuf;

import org.jspecify.annotations.NullMarked;
