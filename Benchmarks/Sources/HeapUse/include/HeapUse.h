#pragma once

#include <stddef.h>

/// Bytes that malloc has given out and not got back, of all threads, with its own heads of blocks. 0 without glibc.
size_t heap_use_bytes(void);

/// Has large blocks go back to the system when they are freed, also after the first one: glibc raises its bounds with
/// each, up to 32 MiB, and malloc_trim leaves what lies at the end of a thread's heap.
void heap_use_fix_thresholds(void);

/// Gives pages without a block in use back to the system.
void heap_use_trim(void);
