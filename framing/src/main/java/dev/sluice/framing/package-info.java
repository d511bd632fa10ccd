/**
 * From bytes to frames and back: synchronous, one thread at a time, no stream library.
 *
 * <p>A {@link dev.sluice.framing.Framing} describes a wire format and serves both directions. A {@link
 * dev.sluice.framing.Framer} says where the next frame of one stream ends; {@link dev.sluice.framing.FrameReader} drives
 * it and owns the input; {@link dev.sluice.framing.FrameWriter} is its counterpart for output. A {@link
 * dev.sluice.framing.Codec} joins a framing with what turns payloads into messages and messages into payloads.
 */
@NullMarked
package dev.sluice.framing;

import org.jspecify.annotations.NullMarked;
