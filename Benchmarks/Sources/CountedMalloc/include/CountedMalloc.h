#pragma once

/// Starts to count the calls of malloc on the current thread.
void counted_malloc_start(void);

/// Returns the number of calls of malloc since this function was last called, on all threads that called counted_malloc_start.
/// Call it while these threads are idle.
long counted_malloc_take(void);
