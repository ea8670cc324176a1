#pragma once

/// Counts calls of malloc on the current thread from here on.
void counted_malloc_start(void);

/// Calls on the threads that count, since the last call of this function. Ask when they rest.
long counted_malloc_take(void);
