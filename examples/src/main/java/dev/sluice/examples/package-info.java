/**
 * Small programs that run. {@link dev.sluice.examples.Echo} is the smallest, {@link dev.sluice.examples.Demo} shows what a
 * drain is worth, {@link dev.sluice.examples.PostgresRows} talks to a real server.
 */
@NullMarked
package dev.sluice.examples;

import org.jspecify.annotations.NullMarked;
