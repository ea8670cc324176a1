#pragma once
#include <sqlite3.h>

// `sqlite3_config` is variadic, which Swift cannot call.
static inline int csqlite_config_memory_statistics(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

// So is `sqlite3_db_config`. When on, the last connection leaves the log as it is when it closes.
static inline int csqlite_config_keep_log(sqlite3 *connection, int on) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}
