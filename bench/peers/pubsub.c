/*
 * pubsub: publishers and subscribers of a relay, one subscriber to each publisher.
 *
 *   pubsub [-p PAIRS] [-s PAYLOAD] [-r MESSAGES_PER_SECOND] [-t SECONDS] PORT
 *
 * A frame is a 4-byte big-endian length and a payload. A subscriber begins with a frame that holds the 4-byte number of its
 * pair; every message of a publisher begins with that number, and the relay passes it on whole. Connects to 127.0.0.1, from
 * other addresses of 127.0.0.0/8 so that ports do not run out, prints
 *
 *   CONNECTED pairs=…
 *
 * and then reads commands, one a line:
 *
 *   run SECONDS     publishes at that rate, pair by pair, then waits until all has come or nothing comes for two seconds
 *
 * each of which it answers by
 *
 *   ran published=… received=… nanos=… median=… p99=… max=…      nanoseconds from publishing to receiving
 *
 * Ends with 0 at the end of the commands. -t bounds the whole run, 300 s by default.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 4 + 4 + 8, PER_ADDRESS = 10000, EVENTS = 1024, READ = 65536 };

struct subscriber {
    int socket;
    uint32_t at; /* bytes of the begun frame that have come */
    unsigned char header[HEADER];
};

static int pairs = 10, *publishers, poller;
static uint32_t payload = 1024;
static int64_t rate = 20000;
static struct subscriber *subscribers;
static int64_t *latencies;
static size_t published, received, capacity;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static int64_t nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int connected(int number, int port) {
    struct sockaddr_in from = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 * (1 + number / PER_ADDRESS))};
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t) port)};
    int one = 1, peer = socket(AF_INET, SOCK_STREAM, 0);
    if (peer < 0) die("socket");
    /* The port is chosen when connecting, so that each address has all of them. */
    if (setsockopt(peer, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one)
        || setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one)) die("setsockopt");
    if (bind(peer, (void *) &from, sizeof from) || connect(peer, (void *) &to, sizeof to)) die("connect");
    return peer;
}

static void connect_all(int port) {
    publishers = calloc((size_t) pairs, sizeof *publishers);
    subscribers = calloc((size_t) pairs, sizeof *subscribers);
    poller = epoll_create1(0);
    if (!publishers || !subscribers || poller < 0) die("set up");
    for (int i = 0; i < pairs; i++) {
        publishers[i] = connected(2 * i, port);
        subscribers[i].socket = connected(2 * i + 1, port);
        uint32_t subscription[] = {htonl(4), htonl((uint32_t) i)};
        if (write(subscribers[i].socket, subscription, sizeof subscription) != sizeof subscription) die("subscribe");
        if (fcntl(subscribers[i].socket, F_SETFL, O_NONBLOCK)) die("fcntl");
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t) i};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, subscribers[i].socket, &event)) die("epoll_ctl");
    }
    printf("CONNECTED pairs=%d\n", pairs);
    fflush(stdout);
}

static void publish(char *frame, uint32_t number) {
    uint32_t header[] = {htonl(payload), htonl(number)};
    int64_t now = nanos();
    memcpy(frame, header, sizeof header);
    memcpy(frame + sizeof header, &now, sizeof now);
    for (size_t done = 0, all = payload + 4; done < all;) {
        ssize_t written = write(publishers[number], frame + done, all - done);
        if (written < 0 && errno != EINTR) die("publish");
        if (written > 0) done += (size_t) written;
    }
    published++;
}

static void take(struct subscriber *of, const unsigned char *bytes, size_t length) {
    uint32_t frame = payload + 4;
    while (length > 0) {
        size_t now = of->at < HEADER ? HEADER - of->at : frame - of->at;
        if (now > length) now = length;
        if (of->at < HEADER) memcpy(of->header + of->at, bytes, now);
        bytes += now;
        length -= now;
        of->at += (uint32_t) now;
        if (of->at < frame) continue;
        of->at = 0;
        uint32_t header[2];
        int64_t then;
        memcpy(header, of->header, sizeof header);
        memcpy(&then, of->header + sizeof header, sizeof then);
        if (ntohl(header[0]) != payload || &subscribers[ntohl(header[1])] != of) {
            fprintf(stderr, "message is not the subscriber's: length=%u pair=%u\n", ntohl(header[0]), ntohl(header[1]));
            exit(2);
        }
        if (received < capacity) latencies[received] = nanos() - then;
        received++;
    }
}

static void receive(int timeout) {
    static unsigned char bytes[READ];
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(poller, events, EVENTS, timeout);
    if (ready < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < ready; i++) {
        struct subscriber *of = &subscribers[events[i].data.u32];
        ssize_t length = read(of->socket, bytes, sizeof bytes);
        if (length == 0) {
            fprintf(stderr, "relay has closed: pair=%u\n", events[i].data.u32);
            exit(2);
        }
        if (length < 0 && errno != EAGAIN) die("receive");
        if (length > 0) take(of, bytes, (size_t) length);
    }
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return (x > y) - (x < y);
}

static void run(int seconds, char *frame) {
    static uint32_t next;
    published = received = 0;
    capacity = (size_t) (rate * seconds);
    latencies = realloc(latencies, capacity * sizeof *latencies);
    if (!latencies) die("latencies");
    memset(latencies, 0, capacity * sizeof *latencies); /* touched before it is measured */
    int64_t begin = nanos(), end = begin + seconds * INT64_C(1000000000), now;
    while ((now = nanos()) < end) {
        for (size_t due = (size_t) ((now - begin) / 1000 * rate / 1000000); published < due; next = (next + 1) % (uint32_t) pairs)
            publish(frame, next);
        receive(1);
    }
    int64_t took = nanos() - begin;
    for (int64_t seen = nanos(); received < published && nanos() - seen < INT64_C(2000000000);) {
        size_t before = received;
        receive(10);
        if (received != before) seen = nanos();
    }
    size_t n = received < capacity ? received : capacity;
    qsort(latencies, n, sizeof *latencies, ascending);
    printf("ran published=%zu received=%zu nanos=%lld median=%lld p99=%lld max=%lld\n", published, received,
           (long long) took, n ? (long long) latencies[n / 2] : 0, n ? (long long) latencies[n * 99 / 100] : 0,
           n ? (long long) latencies[n - 1] : 0);
    fflush(stdout);
}

int main(int argc, char **argv) {
    unsigned seconds = 300;
    for (int option; (option = getopt(argc, argv, "p:s:r:t:")) != -1;) {
        switch (option) {
            case 'p': pairs = atoi(optarg); break;
            case 's': payload = (uint32_t) strtoul(optarg, NULL, 0); break;
            case 'r': rate = atoll(optarg); break;
            case 't': seconds = (unsigned) atoi(optarg); break;
            default: return 2;
        }
    }
    if (argc - optind != 1 || pairs < 1 || rate < 1 || payload < HEADER - 4) {
        fprintf(stderr, "usage: pubsub [-p pairs] [-s payload] [-r rate] [-t seconds] port\n");
        return 2;
    }
    alarm(seconds);
    connect_all(atoi(argv[optind]));
    char *frame = calloc(1, payload + 4), line[64];
    if (!frame) die("calloc");
    while (fgets(line, sizeof line, stdin)) {
        int length;
        if (sscanf(line, "run %d", &length) == 1) run(length, frame);
    }
    return 0;
}
