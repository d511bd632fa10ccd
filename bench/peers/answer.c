/*
 * answer: a server that answers each request by a frame of the same length, one connection after another.
 *
 *   answer [-t SECONDS]
 *
 * A request is a 4-byte big-endian length and so many bytes (1 MiB at most), however many reads bring it; the next is read
 * when it has been answered, by one write. Listens on a free port of 127.0.0.1 and prints
 *
 *   LISTENING port
 *   answered requests=… reads=…      one line a connection
 *
 * TCP_NODELAY is on. -t bounds the whole run, 60 s by default.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT = 1 << 20 };

static void die(const char *what) {
    perror(what);
    exit(2);
}

static void answer(int peer) {
    static char request[4 + LIMIT];
    unsigned long long requests = 0, reads = 0;
    for (size_t have = 0, need = 4;;) {
        ssize_t length = read(peer, request + have, sizeof request - have);
        if (length < 0) die("read");
        if (length == 0) break;
        reads++;
        have += (size_t) length;
        if (have >= 4) {
            uint32_t payload;
            memcpy(&payload, request, 4);
            need = 4 + (size_t) ntohl(payload);
        }
        if (need > sizeof request || have > need) {
            fprintf(stderr, "not one request at a time: length=%zu\n", need);
            exit(2);
        }
        if (have < need) continue;
        for (size_t done = 0; done < need;) {
            ssize_t written = write(peer, request + done, need - done);
            if (written < 0) die("write");
            done += (size_t) written;
        }
        requests++;
        have = 0;
        need = 4;
    }
    printf("answered requests=%llu reads=%llu\n", requests, reads);
    fflush(stdout);
}

int main(int argc, char **argv) {
    unsigned seconds = 60;
    for (int option; (option = getopt(argc, argv, "t:")) != -1;) {
        if (option != 't') return 2;
        seconds = (unsigned) atoi(optarg);
    }
    alarm(seconds);
    int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (server < 0 || bind(server, (void *) &address, length) || listen(server, 8)
        || getsockname(server, (void *) &address, &length)) die("listen");
    printf("LISTENING %d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int peer = accept(server, NULL, NULL);
        if (peer < 0 || setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one)) die("accept");
        answer(peer);
        close(peer);
    }
}
