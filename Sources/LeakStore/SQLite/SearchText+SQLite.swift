internal import CLeakSQLite

/// Adds the SQL function `folded(text)`, which is ``SearchText/folded(_:)``. SQLite's own `lower` changes ASCII letters only.
@unsafe
func addFoldingFunction(to database: OpaquePointer) {
    unsafe sqlite3_create_function_v2(
        database, "folded", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
        { context, _, values in
            let value = unsafe values?[0]
            guard unsafe sqlite3_value_type(value) != SQLITE_NULL else {
                return unsafe sqlite3_result_null(context)
            }
            let count = unsafe Int(sqlite3_value_bytes(value))
            let bytes = unsafe UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: count)
            var folded = unsafe SearchText.folded(String(decoding: bytes, as: UTF8.self))
            folded.withUTF8 { text in
                unsafe text.withMemoryRebound(to: CChar.self) { text in
                    unsafe sqlite3_result_text(
                        context, text.baseAddress, Int32(text.count), transientDestructor)
                }
            }
        }, nil, nil, nil)
}
