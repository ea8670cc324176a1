/// What stands in a path in place of a pattern's parameters, percent-decoded.
public struct Parameters: Hashable, Sendable {
    private var names: [String] = []
    private var values: [String] = []

    @usableFromInline
    init(_ names: [String], _ values: [Range<Int>], of path: borrowing Span<UInt8>) {
        guard !values.isEmpty else { return }
        self.names = names
        for range in values {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            for index in range { bytes.append(path[index]) }
            self.values.append(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The value of the parameter `name`, never empty; `nil` when the pattern has none of that name.
    public subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }
}
