internal import CLeakSQLite

extension StoreError {
    /// Returns an error that explains a result code to the operator, and records a sign of damage. The error contains the SQL
    /// text, but not the bound values.
    ///
    /// - Parameters:
    ///   - code: plain or extended: https://www.sqlite.org/rescode.html
    ///   - message: SQLite's own message.
    ///   - damageMonitor: receives signs of damage.
    static func sqlite(
        _ code: Int32, message: String, path: String, sql: String, _ damageMonitor: DamageMonitor?
    ) -> StoreError {
        let error = sqlite(code, message: message, path: path, sql: sql)
        damageMonitor?.record(code: code, error)
        return error
    }

    /// Returns `true` for result codes of a failing disk or of too little memory, but not for ``shortRead``, which is damage.
    static func isReadFailure(_ code: Int32) -> Bool {
        [SQLITE_IOERR, SQLITE_NOMEM].contains(code & 0xFF) && code != shortRead
    }

    /// `SQLITE_IOERR_SHORT_READ`: the file, or its log, ends before a page that it should contain.
    private static let shortRead: Int32 = 522

    /// Returns `true` for result codes that show a damaged file, or a file that is not a database any more. A failure of the
    /// disk is not damage, because the next transaction may succeed.
    static func isDamage(_ code: Int32) -> Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) || code == shortRead
    }

    /// Returns an error that explains a result code to the operator.
    static func sqlite(_ code: Int32, message: String, path: String, sql: String) -> StoreError {
        let (reason, advice): (Reason, String) =
            switch code & 0xFF {
            case SQLITE_FULL: (.diskFull, "the disk is full; free some space")
            // SQLITE_PROTOCOL: many attempts to begin reading failed, because other processes were faster.
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                (.locked, "another process keeps it locked; stop that process or try again")
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
                (.readOnly, "it cannot be written; check the owner and mode of the file and of its folder")
            case SQLITE_NOTADB: (.notADatabase, "it is not a database of the collector; choose another file")
            case SQLITE_CORRUPT: (.corrupt, "it is damaged; restore it from a backup")
            case SQLITE_CANTOPEN:
                (.other, "it cannot be opened; check that the folder exists and is writable")
            case _ where code == shortRead: (.corrupt, "it, or its log, is cut off; restore it from a backup")
            case SQLITE_IOERR: (.other, "reading or writing failed; check the disk")
            case SQLITE_NOMEM: (.other, "no memory is left")
            default: (.other, "a statement failed")
            }
        return StoreError(
            reason, "database \(path): \(advice) (SQLite \(code), \(oneLine(message)), in: \(oneLine(sql)))")
    }

    /// Returns the first 200 characters of a text in one line. SQLite's message may quote many lines of a damaged file.
    private static func oneLine(_ text: String) -> Substring {
        text.unicodeScalars.split { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
            .map(String.init).joined(separator: " ").prefix(200)
    }
}
