/// Copies of the pages that one walk touches, each read once.
///
/// A walk sees one version of each page, although other threads may write meanwhile. If a page is not mapped, the read fails and
/// the process does not crash. Pages are 4 KiB, even on systems with larger pages.
@safe struct PageSnapshot: ~Copyable {
    static let pageBytes = 4096
    private static let pagesPerChunk = 64

    /// The maximum number of pages that one walk may read.
    private var pageLimit = 1024
    private var table = AddressTable()
    private var chunks: [UnsafeMutableRawPointer] = unsafe []
    private var pageCount = 0
    private var lastNumber: UInt = 0
    private var lastPage: UnsafeRawPointer?
    /// A buffer for reads that cross the end of a page.
    private let joined: UnsafeMutableRawPointer
    /// The maximum number of bytes of one read.
    static let maxBytesPerRead = 64 * 1024

    /// `true` if a read failed because the maximum number of pages was reached.
    private(set) var isExhausted = false

    init() { unsafe joined = .allocate(byteCount: Self.maxBytesPerRead, alignment: 16) }

    deinit {
        unsafe joined.deallocate()
        for index in unsafe chunks.indices { unsafe Self.free(chunks[index]) }
    }

    /// Drops all pages. Chunks beyond 1 MiB are released.
    mutating func reset(byteLimit: Int) {
        pageLimit = max(1, byteLimit / Self.pageBytes)
        table.removeAll()
        pageCount = 0
        unsafe lastPage = nil
        isExhausted = false
        while unsafe chunks.count > 4 {
            if let chunk = unsafe chunks.popLast() { unsafe Self.free(chunk) }
        }
    }

    /// Fills a chunk with zeros and frees it: otherwise a search of the heap would find copies of objects in free memory.
    private static func free(_ chunk: UnsafeMutableRawPointer) {
        unsafe chunk.initializeMemory(as: UInt8.self, repeating: 0, count: pagesPerChunk * pageBytes)
        unsafe chunk.deallocate()
    }

    /// The memory that contains the copies.
    var ownRanges: [Range<UInt>] {
        let starts = unsafe chunks.map { UInt(bitPattern: $0) }
        let start = unsafe UInt(bitPattern: joined)
        return starts.map { $0..<($0 + UInt(Self.pagesPerChunk * Self.pageBytes)) }
            + [start..<(start + UInt(Self.maxBytesPerRead))]
    }

    /// Returns `true` if an address lies in a copy.
    func owns(_ address: UInt) -> Bool { ownRanges.contains { $0.contains(address) } }

    @inline(__always)
    private mutating func page(_ number: UInt) -> UnsafeRawPointer? {
        if number == lastNumber, let lastPage = unsafe lastPage { return unsafe lastPage }
        return unsafe findOrCopyPage(number)
    }

    private mutating func findOrCopyPage(_ number: UInt) -> UnsafeRawPointer? {
        guard number > 0 else { return nil }
        let known = table.value(for: number)
        let index: Int
        if let known {
            guard known >= 0 else { return nil }
            index = Int(known)
        } else {
            guard pageCount < pageLimit else {
                isExhausted = true
                return nil
            }
            index = pageCount
            if unsafe index / Self.pagesPerChunk == chunks.count {
                unsafe chunks.append(.allocate(byteCount: Self.pagesPerChunk * Self.pageBytes, alignment: 16))
            }
        }
        let copy = unsafe chunks[index / Self.pagesPerChunk] + index % Self.pagesPerChunk * Self.pageBytes
        if known == nil {
            guard unsafe CheckedMemory.read(number &* UInt(Self.pageBytes), count: Self.pageBytes, into: copy)
            else {
                table.set(-1, for: number)
                return nil
            }
            table.set(Int32(index), for: number)
            pageCount += 1
        }
        lastNumber = number
        unsafe lastPage = UnsafeRawPointer(copy)
        return UnsafeRawPointer(copy)
    }

    /// Reads 8 bytes at an address that is a multiple of 8; `nil` for other addresses, for unmapped memory, and beyond the
    /// limit of pages.
    @inline(__always)
    mutating func word(_ address: UInt) -> UInt? {
        guard address & 7 == 0, address < HeapLayout.addresses.upperBound,
            let page = unsafe page(address / UInt(Self.pageBytes))
        else { return nil }
        return unsafe page.load(fromByteOffset: Int(address % UInt(Self.pageBytes)), as: UInt.self)
    }

    /// Returns a copy of `count` bytes, valid until the next call of this function or of ``reset(byteLimit:)``.
    ///
    /// - Returns: `nil` if a byte cannot be read, or `count` is more than ``maxBytesPerRead``.
    mutating func bytes(_ address: UInt, count: Int) -> UnsafeRawPointer? {
        guard count > 0, count <= Self.maxBytesPerRead, address < HeapLayout.addresses.upperBound else {
            return nil
        }
        let offset = Int(address % UInt(Self.pageBytes))
        if offset + count <= Self.pageBytes {
            guard let page = unsafe page(address / UInt(Self.pageBytes)) else { return nil }
            return unsafe page + offset
        }
        return unsafe copy(address, count: count, into: joined) ? UnsafeRawPointer(joined) : nil
    }

    /// Copies `count` bytes, at most ``maxBytesPerRead``, to memory of the caller.
    mutating func copy(_ address: UInt, count: Int, into destination: UnsafeMutableRawPointer) -> Bool {
        guard count > 0, count <= Self.maxBytesPerRead, address < HeapLayout.addresses.upperBound else {
            return false
        }
        var done = 0
        while done < count {
            let current = address &+ UInt(done)
            let offset = Int(current % UInt(Self.pageBytes))
            let length = min(count - done, Self.pageBytes - offset)
            guard let page = unsafe page(current / UInt(Self.pageBytes)) else { return false }
            unsafe (destination + done).copyMemory(from: page + offset, byteCount: length)
            done += length
        }
        return true
    }
}
