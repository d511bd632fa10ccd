package dev.sluice.bench;

/**
 * What every receiver decodes a payload to.
 *
 * @param id the first 8 bytes
 * @param last the last byte
 */
public record Message(long id, byte last) {}
