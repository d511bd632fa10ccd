package dev.sluice.bench;

import dev.sluice.FrameFlux;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * From a {@code Flux} of chunks to a {@code Flux} of messages, beside Netty's frame decoder alone and in a channel's
 * pipeline, neither of which knows demand.
 */
@SuppressWarnings("NullAway.Init") // JMH calls setUp
public class FrameOperatorBenchmark extends FrameBenchmark {
    private FrameFlux<Message> frames;
    private EmbeddedChannel channel;

    @Override
    void open() {
        frames = FrameFlux.owned(codec);
        channel = new EmbeddedChannel(
                new LengthFieldBasedFrameDecoder(4 + payload, 0, 4, 0, 4), new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object frame) {
                        takenFrame((ByteBuf) frame);
                        ((ByteBuf) frame).release();
                    }
                });
    }

    @Override
    void close() {
        channel.finishAndReleaseAll();
    }

    /** {@link FrameFlux}, message by message; one subscription a stream. */
    @Benchmark
    public long sluiceMessages() {
        frames.apply(chunks).subscribe(unbounded(this::taken));
        return takeSum();
    }

    /** {@link FrameFlux}, in batches; one subscription a stream. */
    @Benchmark
    public long sluiceBatches() {
        Consumer<Message> each = this::taken;
        frames.batches(chunks).subscribe(unbounded(batch -> batch.forEach(each)));
        return takeSum();
    }

    /** Netty's {@code LengthFieldBasedFrameDecoder} in the pipeline of a channel, and a handler behind it. */
    @Benchmark
    public long nettyPipeline() {
        for (int i = 0; i < chunks.length(); i++) {
            channel.writeInbound(chunks.get(i));
        }
        return takeSum();
    }

    private static <T> CoreSubscriber<T> unbounded(Consumer<T> onNext) {
        return new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(T item) {
                onNext.accept(item);
            }

            @Override
            public void onError(Throwable error) {
                throw new IllegalStateException(error);
            }

            @Override
            public void onComplete() {}
        };
    }
}
