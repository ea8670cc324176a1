/// Why the store could not do what was asked.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// The file is not a database of ours.
        case notADatabase
        /// Written by a later version of the collector.
        case newerSchema(found: Int, known: Int)
        case readOnly
        case locked
        case diskFull
        /// As large as ``StoreLimits/databaseBytes`` lets it be.
        case databaseFull
        /// An argument that cannot be: a cursor that no page of ours gave out, a secret that is there already.
        case invalidArgument
        /// A row cannot be read back as written, or SQLite finds the file malformed.
        case corrupt
        /// The file is damaged or is not the one that was opened; nothing is written to it any more.
        case damaged
        /// There is no database where there was one.
        case missing
        /// The database cannot be reached; nothing was counted.
        case unavailable
        /// The connection broke while the transaction was being committed: it is on disk, or nothing of it is. An
        /// idempotency key tells, when the same request comes again.
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
}
