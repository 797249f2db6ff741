/**
 * The report of a run in its forms: the file {@code report.json}, and what is made from it and from
 * nothing else: text, a page, a trace.
 *
 * <p>What stands in a report came from containers and manifests: every form makes it harmless in
 * its own way. Start reading at {@link dev.regroup.cli.report.ReportText}.
 */
@NullMarked
package dev.regroup.cli.report;

import org.jspecify.annotations.NullMarked;
