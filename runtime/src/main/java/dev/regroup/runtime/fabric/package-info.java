/**
 * The pods' network: a router in a network namespace of its own, called the fabric.
 *
 * <p>A holder process keeps the namespace, so no firewall of the host applies to traffic between
 * pods and the kernel cleans up when the holder ends. While this program runs, the thread {@code
 * fabric-holder} replaces a holder that was killed; otherwise the next program makes a new fabric
 * and attaches every pod again. Every pod is a pair of virtual Ethernet ends: one is inside the
 * fabric, the other is {@code eth0} of the sandbox. One more pair leads to the host. All of it is
 * said in rtnetlink messages that are built as data ({@link
 * dev.regroup.runtime.fabric.LinkRequest}) and can be printed.
 *
 * <p>Nothing here may run a program, touch a firewall, write a setting outside the fabric, or move
 * a thread it does not own into another namespace. Start reading at {@link
 * dev.regroup.runtime.fabric.Fabric}.
 */
@NullMarked
package dev.regroup.runtime.fabric;

import org.jspecify.annotations.NullMarked;
