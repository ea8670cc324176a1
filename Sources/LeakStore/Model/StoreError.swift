/// The reason why a call of the store failed.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The file is not a database of this program.
        case notADatabase
        /// The file was written by a later version of the collector.
        case newerSchema(found: Int, known: Int)
        case readOnly
        case locked
        case diskFull
        /// The database is as large as ``StoreLimits/databaseBytes`` allows.
        case databaseFull
        /// An invalid argument, such as a cursor that no page returned, or a secret that exists already.
        case invalidArgument
        /// A row cannot be read back as written, or SQLite finds the file malformed.
        case corrupt
        /// The file is damaged, or its path names another file than the file that was opened. The store does not write to it
        /// any more.
        case damaged
        /// The database does not exist any more.
        case missing
        /// The database cannot be reached; nothing was counted.
        case unavailable
        /// The connection broke during the commit, or the files were found damaged after it: either the whole transaction is on
        /// disk, or nothing of it. If the same request is sent again, its idempotency key shows whether it was counted.
        case uncertain
        case other
    }

    public var reason: Reason
    /// One line: what is wrong and what to do.
    public var description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// Returns the error for a stored value that no collector can have written.
    ///
    /// - Parameter item: a noun phrase, such as `a histogram`.
    package static func unreadable(_ item: String, in database: String) -> StoreError {
        StoreError(.corrupt, "database \(database): \(item) cannot be read; restore it from a backup")
    }
}
