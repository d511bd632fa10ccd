package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.FrameServer;
import dev.sluice.framing.Codec;
import dev.sluice.framing.LengthFieldFraming;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;

/** The front page's client, as it stands there. */
class ReadmeTest {
    private static final Pattern CLIENT = Pattern.compile("```java\n(import .*?class Client .*?)```", Pattern.DOTALL);

    @TempDir
    private Path classes;

    @Test
    void clientOnTheFrontPageCompilesAndTalks() throws Exception {
        Matcher client = CLIENT.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(client.find()).isTrue();

        DisposableServer server = FrameServer.create("localhost", 0, Codec.bytes(LengthFieldFraming.of(4)))
                .handle(connection -> connection
                        .receive()
                        .next()
                        .flatMapMany(hello -> Flux.just("one", "two", "three"))
                        .concatMap(word -> connection.send(word.getBytes(StandardCharsets.UTF_8)))
                        .thenMany(connection.receive())
                        .then())
                .bindNow();
        try {
            compile(client.group(1).replace("7000", Integer.toString(server.port())));
            assertThat(run()).isEqualTo("one%ntwo%nthree%n".formatted());
        } finally {
            server.disposeNow();
        }
    }

    private void compile(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Client.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");
        assertThat(compiler.getTask(null, null, null, options, null, List.of(file))
                        .call())
                .isTrue();
    }

    private String run() throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass("Client").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
