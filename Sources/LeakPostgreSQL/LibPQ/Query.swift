#if PostgreSQL
    internal import LeakStore

    /// An SQL statement and its values. The text is put together from literals in the code, never from values.
    struct Query {
        let sql: String
        let values: [Parameter]

        init(_ sql: String, _ values: [Parameter] = []) {
            self.sql = sql
            self.values = values
        }

        init(_ sql: String, _ values: Parameter...) { self.init(sql, values) }

        init<Result>(_ read: StoreRead<Result>) {
            self.init(read.sql.text, read.values.map { Parameter($0) })
        }
    }
#endif

#if PostgreSQL
    /// The values of a query, which are collected while its text is put together.
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

#if PostgreSQL
    extension [String] {
        /// Calls `body` with the texts as C strings, followed by a null pointer.
        func withCStrings<Result>(
            _ body: ([UnsafePointer<CChar>?]) -> Result
        ) -> Result {
            var bytes: [CChar] = []
            var offsets: [Int] = []
            for text in self {
                offsets.append(bytes.count)
                bytes.append(contentsOf: text.utf8CString)
            }
            bytes.append(0)
            return unsafe bytes.withUnsafeBufferPointer { buffer in
                let starts: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
                    unsafe buffer.baseAddress.map { unsafe $0 + offset }
                }
                return unsafe body(starts + [nil])
            }
        }
    }
#endif
