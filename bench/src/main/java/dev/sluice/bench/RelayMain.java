package dev.sluice.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import reactor.netty.resources.LoopResources;

/** The relaying JVM: says its port, then answers each line with what it has used so far. Ends with its input. */
public final class RelayMain {
    private RelayMain() {}

    /** Lines: {@code cpu} and {@code memory}. */
    public static void main(String[] args) throws Exception {
        Arguments arguments = new Arguments(args, Set.of("--kind", "--topics", "--loops", "--transport"));
        Relay relay =
                new Relay(Named.of(RelayKind.class, arguments.text("--kind", "")), arguments.number("--topics", 1, 1));
        LoopResources loops = LoopResources.create("relay", arguments.number("--loops", 1, 1), true);
        int port = relay.bind(
                        loops, arguments.oneOf("--transport", "native", "nio").equals("native"))
                .port();
        System.out.println(Programs.LISTENING + port);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            if (command.equals("memory")) {
                Memory memory = Memory.now();
                System.out.printf("used heap=%d direct=%d%n", memory.heap(), memory.direct());
            } else {
                System.out.printf(
                        "used cpuNanos=%d subscriptions=%d refused=%d%n",
                        ProcessCpu.nanos(), relay.subscriptions(), relay.refused());
            }
        }
        System.exit(0);
    }
}
