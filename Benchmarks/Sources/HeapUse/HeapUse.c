// Written in C, because Swift's module Glibc does not contain <malloc.h>.
#include "HeapUse.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

size_t heap_use_bytes(void) {
    struct mallinfo2 use = mallinfo2();
    return use.uordblks + use.hblkhd;
}

void heap_use_fix_thresholds(void) {
    // The initial values of malloc.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

void heap_use_trim(void) { malloc_trim(0); }
#else
size_t heap_use_bytes(void) { return 0; }

void heap_use_fix_thresholds(void) {}

void heap_use_trim(void) {}
#endif
