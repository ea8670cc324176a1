#pragma once

#include <stddef.h>

/// Bytes that all threads have allocated and not freed, including malloc's own headers. 0 without glibc.
size_t heap_use_bytes(void);

/// Returns large blocks to the system when they are freed, even after the first block: glibc raises its thresholds with
/// each, up to 32 MiB, and malloc_trim leaves what lies at the end of a thread's heap.
void heap_use_fix_thresholds(void);

/// Gives pages without a block in use back to the system.
void heap_use_trim(void);
