// Replaces malloc by a function that counts its calls, in the program that links this file and in all its libraries.
// Written in C, because Swift code cannot define a function named malloc.
// https://sourceware.org/glibc/manual/latest/html_node/Replacing-malloc.html
#include "CountedMalloc.h"

#include <stdatomic.h>
#include <stddef.h>

static _Thread_local int is_counting;
static atomic_long call_count;

void counted_malloc_start(void) { is_counting = 1; }

long counted_malloc_take(void) { return atomic_exchange(&call_count, 0); }

#ifdef __GLIBC__
extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
    if (is_counting) atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed);
    return __libc_malloc(size);
}
#endif
