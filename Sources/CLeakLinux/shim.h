#pragma once
// Functions that the Glibc module leaves out: epoll, eventfd, accept4 and thread names.
//
// No _GNU_SOURCE here: it would change the layout of types that the Glibc module has already shown to Swift. What it
// would uncover is declared by hand instead.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// Images of this process. <execinfo.h> is not in the Glibc module, and <link.h> declares the second function for _GNU_SOURCE
// alone. The structure is the beginning of its `struct dl_phdr_info`.
#include <link.h>
struct clinux_image {
    ElfW(Addr) bias;
    const char *path;
    const ElfW(Phdr) *headers;
    ElfW(Half) header_count;
    unsigned long long loads;
    unsigned long long unloads;
};
extern int backtrace(void **buffer, int size);
extern int clinux_iterate_images(
    int (*visit)(struct clinux_image *image, size_t size, void *context), void *context) __asm__("dl_iterate_phdr");

// Reads of memory that may be unmapped: they fail with EFAULT instead of a signal. <sys/uio.h> declares it for
// _GNU_SOURCE alone.
#include <malloc.h>
#include <sys/uio.h>
extern ssize_t clinux_read_memory(
    pid_t process, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
    unsigned long remote_count, unsigned long flags) __asm__("process_vm_readv");
// <string.h> declares it for _GNU_SOURCE alone.
extern void *clinux_find_bytes(
    const void *bytes, size_t count, const void *pattern, size_t pattern_count) __asm__("memmem");
