package dev.sluice;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** A message of {@code trySend}, and whom to tell. */
final class ReplySend<O> extends Send<O> {
    private static final Logger LOG = Loggers.getLogger(FrameConnection.class);

    private final @Nullable Consumer<? super @Nullable Throwable> reply;

    ReplySend(@Nullable O message, @Nullable Consumer<? super @Nullable Throwable> reply) {
        super(message);
        this.reply = reply;
    }

    @Override
    void tell(@Nullable Throwable error) {
        if (reply == null) {
            return;
        }
        try {
            reply.accept(error);
        } catch (Throwable e) {
            LOG.warn("reply of a send threw: error={}", e.toString(), e);
        }
    }
}
