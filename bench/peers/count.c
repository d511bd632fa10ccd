/*
 * count: a receiver without a JVM. Connects CONNECTIONS times, one after another, finds the frames of each stream (a 4-byte
 * big-endian length and a payload) and counts them, decoding nothing.
 *
 *   count [-n CONNECTIONS] [-r BYTES_PER_READ] PORT
 *
 * Edge-triggered epoll on 127.0.0.1: reads until nothing is left, then waits. Prints for each connection
 *
 *   sample messages=… nanos=… cpuNanos=… loopCpuNanos=… loopAllocatedBytes=0 sum=0 reads=… waits=…
 *
 * where nanos run from connecting to the end of the stream. Ends with 0 unless a stream ended inside a frame.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct frames {
    uint64_t counted;
    uint64_t missing;      /* payload bytes of the begun frame that have not come */
    unsigned length_bytes; /* of a length that is cut: bytes that have come */
    uint32_t length;       /* and their value */
};

static void die(const char *what) {
    perror(what);
    exit(2);
}

static int64_t nanos(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void count(struct frames *frames, const unsigned char *at, const unsigned char *end) {
    while (at < end) {
        size_t left = (size_t) (end - at);
        if (frames->missing > 0) {
            size_t taken = frames->missing < left ? (size_t) frames->missing : left;
            at += taken;
            frames->missing -= taken;
        } else if (frames->length_bytes == 0 && left >= 4) {
            uint32_t length;
            memcpy(&length, at, 4);
            frames->missing = ntohl(length);
            at += 4;
        } else {
            frames->length = frames->length << 8 | *at++;
            if (++frames->length_bytes < 4) continue;
            frames->missing = frames->length;
            frames->length_bytes = 0;
            frames->length = 0;
        }
        if (frames->missing == 0) frames->counted++;
    }
}

static void receive(int port, unsigned char *buffer, size_t size) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t) port)};
    struct frames frames = {0};
    uint64_t reads = 0, waits = 0;
    int64_t begin = nanos(CLOCK_MONOTONIC), cpu_begin = nanos(CLOCK_PROCESS_CPUTIME_ID);
    int stream = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    if (stream < 0 || poll < 0 || connect(stream, (void *) &address, sizeof address)) die("connect");
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
    if (fcntl(stream, F_SETFL, O_NONBLOCK) || epoll_ctl(poll, EPOLL_CTL_ADD, stream, &event)) die("epoll_ctl");
    for (int ended = 0; !ended;) {
        ssize_t length = read(stream, buffer, size);
        reads++;
        if (length > 0) {
            count(&frames, buffer, buffer + length);
        } else if (length == 0) {
            ended = 1;
        } else if (errno == EAGAIN) {
            waits++;
            if (epoll_wait(poll, &event, 1, -1) < 0 && errno != EINTR) die("epoll_wait");
        } else if (errno != EINTR) {
            die("read");
        }
    }
    int64_t cpu = nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    if (frames.missing > 0 || frames.length_bytes > 0) {
        fprintf(stderr, "input ended inside a frame: frames=%llu\n", (unsigned long long) frames.counted);
        exit(1);
    }
    printf("sample messages=%llu nanos=%lld cpuNanos=%lld loopCpuNanos=%lld loopAllocatedBytes=0 sum=0 reads=%llu waits=%llu\n",
           (unsigned long long) frames.counted, (long long) (nanos(CLOCK_MONOTONIC) - begin), (long long) cpu,
           (long long) cpu, (unsigned long long) reads, (unsigned long long) waits);
    fflush(stdout);
    close(poll);
    close(stream);
}

int main(int argc, char **argv) {
    int connections = 1;
    size_t size = 256 * 1024;
    for (int option; (option = getopt(argc, argv, "n:r:")) != -1;) {
        switch (option) {
            case 'n': connections = atoi(optarg); break;
            case 'r': size = strtoul(optarg, NULL, 0); break;
            default: return 2;
        }
    }
    if (argc - optind != 1) {
        fprintf(stderr, "usage: count [-n connections] [-r bytes] port\n");
        return 2;
    }
    unsigned char *buffer = malloc(size);
    if (!buffer) die("malloc");
    memset(buffer, 1, size); /* touched before anything is measured */
    for (int connection = 0; connection < connections; connection++) receive(atoi(argv[optind]), buffer, size);
    free(buffer);
    return 0;
}
