/**
 * The kubeconfig of the person at the terminal: a context is merged in and taken out again, nothing
 * else of it is touched.
 *
 * <p>Never prints or logs what is in it. Start reading at {@link
 * dev.regroup.cli.kubeconfig.KubeConfigFile}.
 */
@NullMarked
package dev.regroup.cli.kubeconfig;

import org.jspecify.annotations.NullMarked;
