/**
 * From a TCP connection to a {@code Flux} of messages and back.
 *
 * <p>{@link dev.sluice.FrameClient} and {@link dev.sluice.FrameServer} make {@link dev.sluice.FrameConnection}s. A
 * connection cuts all that one read of the socket brings in one <em>drain</em>, gives what is demanded to its receiver,
 * keeps at most its {@link dev.sluice.Prefetch} beyond that, and leaves the rest to TCP's own flow control.
 */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
