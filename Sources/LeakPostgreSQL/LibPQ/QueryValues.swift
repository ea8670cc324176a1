#if PostgreSQL
    /// Collects the values of a query while its text is put together.
    struct QueryValues {
        private(set) var all: [Parameter] = []

        init(_ first: [Parameter] = []) { all = first }

        /// Adds a value.
        ///
        /// - Returns: the text that refers to it: `$1::bigint`, then `$2::bigint` …
        mutating func bind(_ number: Int64) -> String { bind(.integer(number), "bigint") }
        mutating func bind(_ text: String) -> String { bind(.text(text), "text") }
        mutating func bind(_ rows: [Int64]) -> String { bind(.integers(rows.map { $0 }), "bigint[]") }

        private mutating func bind(_ value: Parameter, _ type: String) -> String {
            all.append(value)
            return "$\(all.count)::\(type)"
        }
    }
#endif
