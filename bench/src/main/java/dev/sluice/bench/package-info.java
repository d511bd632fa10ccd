/**
 * What Sluice costs: JMH benchmarks of its parts, and {@link dev.sluice.bench.ReceiveComparison}, which receives the same
 * stream over loopback with Sluice, Reactor Netty, Netty and a plain NIO loop.
 *
 * <p>The comparison is one process that starts many: for each kind of receiver, again and again in turn, a sender in C and
 * a JVM with {@link dev.sluice.bench.ReceiverMain}, which tells each connection's {@link dev.sluice.bench.Sample} by one
 * line.
 */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
