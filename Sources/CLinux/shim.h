#pragma once
// What the Glibc module leaves out: readiness, wake-ups, accepting with flags and names of threads.
//
// No _GNU_SOURCE here: it would change the layout of types that the Glibc module has already shown to Swift. What it
// would uncover is declared by hand instead.
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
