internal import CLeakSQLite

/// A value that can be bound to a `?` of a statement.
protocol Bindable {
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Int64: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        unsafe sqlite3_bind_int64(statement, index, self)
    }
}

extension String: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            guard !bytes.isEmpty else {
                return unsafe sqlite3_bind_text(statement, index, "", 0, transientDestructor)
            }
            return unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe sqlite3_bind_text(
                    statement, index, characters.baseAddress, Int32(clamping: characters.count),
                    transientDestructor)
            }
        }
    }
}

extension [UInt8]: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard !isEmpty else { return unsafe sqlite3_bind_zeroblob(statement, index, 0) }
        return unsafe withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob(
                statement, index, bytes.baseAddress, Int32(clamping: bytes.count), transientDestructor)
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .none: unsafe sqlite3_bind_null(statement, index)
        case .some(let value): unsafe value.bind(to: statement, at: index)
        }
    }
}

/// `SQLITE_TRANSIENT`, which Swift does not import because it is a cast: SQLite copies the bytes before the call returns.
var transientDestructor: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension Sequence<Int64> {
    /// The numbers as JSON, for `json_each`.
    var jsonArray: String { "[" + map(String.init).joined(separator: ",") + "]" }
}

extension Sequence<String> {
    /// The texts as JSON, for `json_each`.
    var jsonArray: String {
        func literal(_ text: String) -> String {
            var literal = "\""
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { literal.unicodeScalars.append("\\") }
                literal.unicodeScalars.append(scalar)
            }
            return literal + "\""
        }
        return "[" + map(literal).joined(separator: ",") + "]"
    }
}
