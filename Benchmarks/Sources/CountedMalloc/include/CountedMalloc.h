#pragma once

/// Counts calls of malloc on the current thread from here on.
void counted_malloc_start(void);

/// Calls on the counting threads since the last call of this function. Call it while these threads are idle.
long counted_malloc_take(void);
