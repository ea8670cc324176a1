/// The stored form of ``GroupingKey/stack``. Most elements are also in the leak's path, so they are stored as positions in it.
package enum GroupedStack {
    /// Marks an element that is not in the path; the element follows.
    private static let literalMarker = 0

    /// Returns the stored bytes of a stack.
    ///
    /// - Parameter path: stack, children and cycle of the leak, one after another.
    package static func pack(_ stack: [String], path: [String]) -> [UInt8] {
        var numbers: [ByteText: Int] = [:]
        for (index, element) in path.enumerated() where numbers[ByteText(element)] == nil {
            numbers[ByteText(element)] = index + 1
        }
        var writer = PackedWriter()
        for element in stack {
            if let number = numbers[ByteText(element)] {
                writer.append(number)
            } else {
                writer.append(literalMarker)
                writer.append(element)
            }
        }
        return writer.bytes
    }

    /// Reads the stack from its stored bytes.
    ///
    /// - Returns: `nil` for bytes that ``pack(_:path:)`` did not write for this path.
    package static func unpack(_ bytes: [UInt8], path: [String]) -> [String]? {
        var reader = PackedReader(bytes)
        var stack: [String] = []
        while !reader.isAtEnd {
            guard let number = reader.number() else { return nil }
            if number == literalMarker {
                guard let element = reader.text() else { return nil }
                stack.append(element)
            } else {
                guard number <= path.count else { return nil }
                stack.append(path[number - 1])
            }
        }
        return stack
    }
}

extension LeakIdentity {
    /// Stack, children and cycle, one after another.
    package var path: [String] { stack + children + cycle }

    /// The stack of ``groupingKey`` in its stored form (``GroupedStack``).
    package var packedGroupedStack: [UInt8] { GroupedStack.pack(groupingKey.stack, path: path) }
}
