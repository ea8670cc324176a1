#pragma once
#include <sqlite3.h>

// `sqlite3_config` is variadic, which Swift cannot call.
static inline int csqlite_config_memory_statistics(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}
