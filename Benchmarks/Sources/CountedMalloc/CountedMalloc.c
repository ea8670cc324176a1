// A malloc that counts, for the program that links it and all its libraries. In C, since Swift keeps the name for itself.
// https://sourceware.org/glibc/manual/latest/html_node/Replacing-malloc.html
#include "CountedMalloc.h"

#include <stdatomic.h>
#include <stddef.h>

static _Thread_local int counts;
static atomic_long calls;

void counted_malloc_start(void) { counts = 1; }

long counted_malloc_take(void) { return atomic_exchange(&calls, 0); }

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
    if (counts) atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return __libc_malloc(size);
}
#endif
