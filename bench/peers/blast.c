/*
 * blast: a server that sends COUNT frames as fast as it can to each connection, one connection after another.
 *
 *   blast [-n CONNECTIONS] [-C CONGESTION_CONTROL] [-w BYTES_PER_WRITE] [-t SECONDS] COUNT PAYLOAD
 *
 * A frame is a 4-byte big-endian length and PAYLOAD bytes. Writes are large (1 MiB unless -w says otherwise) and end
 * between two frames. After the last frame the output is shut down and the peer's end awaited. Listens on a free port of
 * 127.0.0.1 and prints
 *
 *   LISTENING port
 *   sent connection=0 bytes=… nanos=… cpuNanos=…      one line a connection
 *
 * Ends with 0 if every connection took everything and ended in order. -t bounds the whole run, 60 s by default. Some
 * systems come with a congestion control that paces even loopback (bbr): -C cubic avoids that.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
    perror(what);
    exit(2);
}

static int64_t nanos(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Letters that depend on the place in the payload and on the frame, so that a receiver can tell them apart. */
static char *frames(size_t count, size_t payload) {
    char *all = malloc(count * (payload + 4));
    if (!all) die("malloc");
    char *at = all;
    for (size_t frame = 0; frame < count; frame++) {
        uint32_t length = htonl((uint32_t) payload);
        memcpy(at, &length, 4);
        at += 4;
        for (size_t i = 0; i < payload; i++) *at++ = (char) ('a' + (i * 31 + frame) % 26);
    }
    return all;
}

static int listening(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (void *) &address, length) || listen(server, 8)) die("listen");
    if (getsockname(server, (void *) &address, &length)) die("getsockname");
    printf("LISTENING %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return server;
}

static void send_all(int peer, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(peer, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) die("write");
        bytes += written;
        length -= (size_t) written;
    }
}

static void await_end(int peer) {
    char ignored[4096];
    ssize_t length;
    while ((length = read(peer, ignored, sizeof ignored)) > 0) {}
    if (length < 0) die("peer did not end in order");
}

static void out_of_time(int signal) {
    static const char message[] = "sender is out of time: see -t\n";
    (void) signal;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(3);
    _exit(2);
}

int main(int argc, char **argv) {
    int connections = 1;
    const char *congestion_control = NULL;
    size_t bytes_per_write = 1 << 20;
    unsigned seconds = 60;
    for (int option; (option = getopt(argc, argv, "n:C:w:t:")) != -1;) {
        switch (option) {
            case 'n': connections = atoi(optarg); break;
            case 'C': congestion_control = optarg; break;
            case 'w': bytes_per_write = strtoul(optarg, NULL, 0); break;
            case 't': seconds = (unsigned) atoi(optarg); break;
            default: return 2;
        }
    }
    if (argc - optind != 2) {
        fprintf(stderr, "usage: blast [-n connections] [-C congestion] [-w bytes] [-t seconds] count payload\n");
        return 2;
    }
    size_t count = strtoul(argv[optind], NULL, 0);
    size_t payload = strtoul(argv[optind + 1], NULL, 0);
    size_t frame = payload + 4;
    size_t frames_per_write = bytes_per_write < frame ? 1 : bytes_per_write / frame;
    if (frames_per_write > count) frames_per_write = count;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, out_of_time);
    alarm(seconds);
    char *bytes = frames(frames_per_write, payload);
    int server = listening();
    for (int connection = 0; connection < connections; connection++) {
        int peer = accept(server, NULL, NULL);
        if (peer < 0) die("accept");
        if (congestion_control
            && setsockopt(peer, IPPROTO_TCP, TCP_CONGESTION, congestion_control, strlen(congestion_control))) {
            die(congestion_control);
        }
        int64_t begin = nanos(CLOCK_MONOTONIC), cpu_begin = nanos(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t left = count; left > 0;) {
            size_t now = left < frames_per_write ? left : frames_per_write;
            send_all(peer, bytes, now * frame);
            left -= now;
        }
        shutdown(peer, SHUT_WR);
        await_end(peer);
        int64_t end = nanos(CLOCK_MONOTONIC), cpu_end = nanos(CLOCK_PROCESS_CPUTIME_ID);
        printf("sent connection=%d bytes=%zu nanos=%lld cpuNanos=%lld\n", connection, count * frame,
               (long long) (end - begin), (long long) (cpu_end - cpu_begin));
        fflush(stdout);
        close(peer);
    }
    return 0;
}
