#if PostgreSQL
    internal import CPostgreSQL
    public import LeakStore

    /// Where the database is: `postgres://user:password@host:5432/database?sslmode=verify-full`.
    ///
    /// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
    @safe
    public struct DatabaseAddress: Sendable, CustomStringConvertible {
        /// As given, with its secrets.
        let text: String
        /// Hosts and database, without user, password and the rest.
        public let description: String

        /// - Throws: ``StoreError/Reason/invalidArgument`` for a text that is no such address; it is not repeated,
        ///   since it may hold a password.
        public init(_ text: String) throws(StoreError) {
            let refused = StoreError(
                .invalidArgument,
                "must be an address such as postgres://user@host:5432/database?sslmode=verify-full")
            guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix), !text.utf8.contains(0)
            else { throw refused }
            guard let options = unsafe PQconninfoParse(text, nil) else { throw refused }
            defer { unsafe PQconninfoFree(options) }
            var values: [String: String] = [:]
            var next = unsafe options
            while let keyword = unsafe next.pointee.keyword {
                if let value = unsafe next.pointee.val {
                    unsafe values[String(cString: keyword)] = String(cString: value)
                }
                unsafe next += 1
            }
            self.text = text
            let host = values["host"] ?? values["hostaddr"] ?? "localhost"
            description = "\(host):\(values["port"] ?? "5432")/\(values["dbname"] ?? "")"
        }
    }
#endif
