/**
 * Objects in Kubernetes' protobuf form: bytes to trees and back, for every built-in kind, driven by
 * one table of field numbers. What comes out of bytes is the tree a Go program would have sent as
 * JSON, and what is made of a tree are the bytes a Go program would have sent.
 *
 * <p>Nothing here judges values or knows of requests. The table is read when the first body is, so
 * that a server which only meets JSON never pays for it. Start reading at {@link
 * dev.regroup.api.protobuf.ProtobufCodec}.
 */
@NullMarked
package dev.regroup.api.protobuf;

import org.jspecify.annotations.NullMarked;
