/**
 * Keeps the figures of one program and writes them as a scraper reads them. The Prometheus library
 * is known here only. Start reading at {@link dev.regroup.cli.figure.FigureKeeper}.
 */
@NullMarked
package dev.regroup.cli.figure;

import org.jspecify.annotations.NullMarked;
