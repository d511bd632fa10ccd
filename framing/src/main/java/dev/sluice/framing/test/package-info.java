/**
 * Tests of framings: {@link dev.sluice.framing.test.FramerVerifier} brings a stream to a framing in every way in which
 * it may arrive. For test code; needs no test framework.
 */
@NullMarked
package dev.sluice.framing.test;

import org.jspecify.annotations.NullMarked;
