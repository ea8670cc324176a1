#pragma once
// Functions that the Glibc module leaves out: epoll, eventfd, accept4 and thread names.
//
// This header does not define _GNU_SOURCE, which would change the layout of types that the Glibc module has already shown to
// Swift. The functions that are declared only with _GNU_SOURCE are declared here by hand.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// Call stacks and images of this process. <execinfo.h>, which declares `backtrace`, is not in the Glibc module. <link.h>
// declares `dl_iterate_phdr` only with _GNU_SOURCE. `clinux_image` is the beginning of its `struct dl_phdr_info`.
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

// Reads memory that may be unmapped: the call fails with EFAULT instead of raising a signal. <sys/uio.h> declares
// `process_vm_readv` only with _GNU_SOURCE.
#include <malloc.h>
#include <sys/uio.h>
extern ssize_t clinux_read_memory(
    pid_t process, const struct iovec *local, unsigned long local_count, const struct iovec *remote,
    unsigned long remote_count, unsigned long flags) __asm__("process_vm_readv");
// <string.h> declares `memmem` only with _GNU_SOURCE.
extern void *clinux_find_bytes(
    const void *bytes, size_t count, const void *pattern, size_t pattern_count) __asm__("memmem");
