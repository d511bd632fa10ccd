/*
 * countwrites: counts the calls by which a process gives bytes to TCP sockets.
 *
 *   LD_PRELOAD=countwrites.so COUNT_WRITES=FILE program
 *
 * FILE is mapped, and holds the count as a 64-bit number of this machine's byte order. Build: cc -O2 -shared -fPIC.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t unmapped;
static uint64_t *count = &unmapped;

__attribute__((constructor)) static void map(void) {
    const char *name = getenv("COUNT_WRITES");
    int file = name ? open(name, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count)) return;
    void *mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) count = mapped;
    close(file);
}

static void seen(int fd) {
    int domain = 0;
    socklen_t length = sizeof domain;
    if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) && (domain == AF_INET || domain == AF_INET6))
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

#define COUNTED(name, declared, passed) \
    ssize_t name declared { \
        static ssize_t (*next) declared; \
        if (!next) next = (ssize_t (*) declared)dlsym(RTLD_NEXT, #name); \
        seen(fd); \
        return next passed; \
    }

COUNTED(write, (int fd, const void *bytes, size_t length), (fd, bytes, length))
COUNTED(writev, (int fd, const struct iovec *parts, int number), (fd, parts, number))
COUNTED(send, (int fd, const void *bytes, size_t length, int flags), (fd, bytes, length, flags))
COUNTED(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
COUNTED(sendto,
        (int fd, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t size),
        (fd, bytes, length, flags, to, size))
