#if PostgreSQL
    extension [String] {
        /// Lends the texts as C strings, behind them a null.
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
