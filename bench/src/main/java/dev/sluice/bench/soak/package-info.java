/** The soak: hundreds of connections that do at random what connections do, and a check of every byte. */
@NullMarked
package dev.sluice.bench.soak;

import org.jspecify.annotations.NullMarked;
