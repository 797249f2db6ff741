/**
 * Names for pods: a small DNS server inside the pods' network and the files a pod's resolver reads.
 *
 * <p>The core is pure: a table of names ({@link dev.regroup.node.dns.DnsNames}) and a function from
 * the bytes of a query to the bytes of an answer ({@link dev.regroup.node.dns.DnsAnswers}). Around
 * it, sockets and informers do no more than carry bytes and facts. Answers come from the table as
 * it is now and may be kept for a second, so a replaced pod is found at its new address within one.
 *
 * <p>Nothing here may trust a packet, wait without a deadline, or answer a name of the cluster from
 * anywhere but the table. Start reading at {@link dev.regroup.node.dns.DnsAnswers}.
 */
@NullMarked
package dev.regroup.node.dns;

import org.jspecify.annotations.NullMarked;
