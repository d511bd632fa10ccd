package dev.sluice.examples;

import java.util.Locale;
import reactor.netty.resources.LoopResources;

/** What the {@link Demo} can be told. */
record DemoOptions(int messages, int payload, int rounds, Transport transport) {
    static final String HELP = """
            options of Demo:
              --messages N    messages per round, 1 to 100000000; 100000 unless given
              --payload N     bytes of each payload, 28 to 1048576; 2560 unless given
              --rounds N      measured rounds of each kind, 1 to 1000; 15 unless given
              --transport T   nio, epoll, or default: what Reactor Netty takes by itself""";

    enum Transport {
        NIO,
        EPOLL,
        DEFAULT;

        boolean prefersNative() {
            return this != NIO;
        }

        /** The only native transport that is on the class path there. */
        static boolean hasEpoll() {
            return System.getProperty("os.name").equals("Linux") && LoopResources.hasNativeSupport();
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static DemoOptions of(Arguments arguments) {
        Transport transport = arguments.choice("--transport", Transport.DEFAULT, Transport.class);
        if (transport == Transport.EPOLL && !Transport.hasEpoll()) {
            throw new Arguments.Wrong("--transport epoll needs Linux and Netty's library for its processor");
        }
        return new DemoOptions(
                arguments.number("--messages", 100_000, 1, 100_000_000),
                arguments.number("--payload", 2_560, Trade.SMALLEST_PAYLOAD, 1024 * 1024),
                arguments.number("--rounds", 15, 1, 1_000),
                transport);
    }
}
