/**
 * The kubeconfig of the person at the terminal: a context is merged in and taken out again, nothing
 * else of it is touched. And how it leads to a cluster ({@link
 * dev.regroup.cli.kubeconfig.KubeAccess}), whoever made it.
 *
 * <p>Never prints or logs what is in it. Start reading at {@link
 * dev.regroup.cli.kubeconfig.KubeConfigFile}.
 */
@NullMarked
package dev.regroup.cli.kubeconfig;

import org.jspecify.annotations.NullMarked;
