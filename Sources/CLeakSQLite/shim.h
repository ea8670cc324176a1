#pragma once
#include <sqlite3.h>

// Swift cannot call `sqlite3_config`, because it is variadic.
static inline int csqlite_config_memory_statistics(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

// `sqlite3_db_config` is variadic too. If `on` is 1, the last connection runs no checkpoint when it closes, so that the
// write-ahead log stays as it is.
static inline int csqlite_config_keep_log(sqlite3 *connection, int on) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

// Reads the first bytes of the database's file through SQLite's own descriptor: closing another descriptor would drop the
// locks that this process holds on the file.
static inline int csqlite_read_header(sqlite3 *connection, void *bytes, int count) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK || file == 0 || file->pMethods == 0) return SQLITE_ERROR;
    return file->pMethods->xRead(file, bytes, count, 0);
}
