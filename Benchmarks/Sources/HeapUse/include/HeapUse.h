#pragma once

#include <stddef.h>

/// Bytes that all threads have allocated and not freed, including malloc's own headers. 0 without glibc.
size_t heap_use_bytes(void);

/// Fixes the thresholds of malloc, so that every large block is returned to the system when it is freed. Otherwise glibc raises
/// the thresholds with each freed block, up to 32 MiB, and malloc_trim does not return free memory at the end of a thread's
/// heap.
void heap_use_fix_thresholds(void);

/// Returns pages that contain no block in use to the system.
void heap_use_trim(void);
