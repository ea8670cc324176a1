#if PostgreSQL
    internal import CLeakPostgreSQL
    public import LeakStore

    /// The address of a database: `postgres://user:password@host:5432/database?sslmode=verify-full`.
    ///
    /// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
    @safe
    public struct DatabaseAddress: Sendable, CustomStringConvertible {
        /// The address as given, with its secrets.
        let text: String
        /// Hosts, ports and database, without user, password and options.
        public let description: String
        /// `true` if the address contains a password: that of the user, or that of the user's TLS key.
        public let hasPassword: Bool
        var timeouts = Timeouts()

        /// - Throws: ``StoreError/Reason/invalidArgument`` for a text that is not a PostgreSQL address. The error does not repeat the text,
        ///   since it may hold a password.
        public init(_ text: String) throws(StoreError) {
            let invalidAddress = StoreError(
                .invalidArgument,
                "must be an address such as postgres://user@host:5432/database?sslmode=verify-full")
            let schemes = ["postgres://", "postgresql://"]
            guard let scheme = schemes.first(where: text.hasPrefix), !text.utf8.contains(0) else {
                throw invalidAddress
            }
            guard Self.isSplitSafely(text.dropFirst(scheme.count)) else {
                throw StoreError(
                    .invalidArgument,
                    "has a user or a password with “@”, “/” or “:” in it, which must be written %40, %2F and %3A"
                )
            }
            guard let options = unsafe PQconninfoParse(text, nil) else { throw invalidAddress }
            defer { unsafe PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = unsafe options
            while let keyword = unsafe option.pointee.keyword {
                if let value = unsafe option.pointee.val {
                    unsafe values[String(cString: keyword)] = String(cString: value)
                }
                unsafe option += 1
            }
            // A port that is not a number may be a part of a password, and messages would repeat this part.
            guard (values["port"] ?? "").utf8.allSatisfy({ $0 == 0x2C || (0x30...0x39).contains($0) }) else {
                throw invalidAddress
            }
            self.text = text
            hasPassword = values["password"] != nil || values["sslpassword"] != nil
            let host = values["host"] ?? values["hostaddr"] ?? "localhost"
            description = "\(host):\(values["port"] ?? "5432")/\(values["dbname"] ?? "")"
        }

        /// Returns the same address with other time limits for answers.
        func with(_ timeouts: Timeouts) -> DatabaseAddress {
            var address = self
            address.timeouts = timeouts
            return address
        }

        /// Returns `true` if the text before the first “@” is the whole user and password. Otherwise the rest of the password would
        /// be taken for the host, which messages name.
        private static func isSplitSafely(_ afterScheme: Substring) -> Bool {
            guard let atSign = afterScheme.firstIndex(of: "@") else { return true }
            let user = afterScheme[..<atSign]
            // Values after the question mark may contain an “@”.
            if let slash = user.firstIndex(of: "/") { return user[slash...].contains("?") }
            let userAndPassword = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard userAndPassword.count < 2 || !userAndPassword[1].contains(":") else { return false }
            return !afterScheme[afterScheme.index(after: atSign)...].prefix { $0 != "?" }.contains("@")
        }
    }
#endif
