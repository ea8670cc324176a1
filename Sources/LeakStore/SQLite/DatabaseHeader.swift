/// What the first bytes of a database's file say of it. https://www.sqlite.org/fileformat2.html#the_database_header
struct DatabaseHeader {
    /// Counts transactions that changed the first page, and never goes back.
    let changeCounter: UInt32
    /// The size that the file should have, in bytes.
    let fileBytes: Int

    static let byteCount = 100
    private static let magic = Array("SQLite format 3\0".utf8)

    /// - Returns: `nil` for bytes that are no header, and for one of a version of SQLite that kept no size.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        func number(at offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        changeCounter = number(at: 24)
        guard number(at: 92) == changeCounter else { return nil }
        // The largest page size, 64 KiB, is written as 1.
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        fileBytes = Int(number(at: 28)) * (size == 1 ? 65_536 : size)
    }
}
