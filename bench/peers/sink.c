/*
 * sink: takes all that comes, one connection after another, and forgets it.
 *
 *   sink [-n CONNECTIONS] [-r BYTES_PER_READ] [-t SECONDS]
 *
 * Listens on a free port of 127.0.0.1 and prints
 *
 *   LISTENING port
 *   took connection=0 bytes=… reads=…      one line a connection
 *
 * Reads 256 KiB at a time unless -r says otherwise; -t bounds the whole run, 60 s by default.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what) {
    perror(what);
    exit(1);
}

int main(int argc, char **argv) {
    int connections = 1, seconds = 60, option;
    size_t size = 262144;
    while ((option = getopt(argc, argv, "n:r:t:")) != -1) {
        switch (option) {
        case 'n': connections = atoi(optarg); break;
        case 'r': size = strtoul(optarg, NULL, 10); break;
        case 't': seconds = atoi(optarg); break;
        default: return 2;
        }
    }
    alarm(seconds);
    char *buffer = malloc(size);
    if (!buffer) die("malloc");
    memset(buffer, 1, size);

    int server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (server < 0 || bind(server, (struct sockaddr *)&address, length) || listen(server, 16)
        || getsockname(server, (struct sockaddr *)&address, &length)) die("listen");
    printf("LISTENING %d\n", ntohs(address.sin_port));
    fflush(stdout);

    for (int i = 0; i < connections; i++) {
        int peer = accept(server, NULL, NULL);
        if (peer < 0) die("accept");
        unsigned long long bytes = 0, reads = 0;
        ssize_t count;
        while ((count = read(peer, buffer, size)) > 0) {
            bytes += count;
            reads++;
        }
        if (count < 0) die("read");
        close(peer);
        printf("took connection=%d bytes=%llu reads=%llu\n", i, bytes, reads);
        fflush(stdout);
    }
    return 0;
}
