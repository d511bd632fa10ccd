package dev.sluice.testing;

/** When messages are asked for. */
public enum Demand {
    /** All, as soon as they are there. */
    UNBOUNDED,
    /** One at a time. */
    ONE_BY_ONE,
    /** None at first; all once the source has ended or fallen silent. */
    LATE
}
