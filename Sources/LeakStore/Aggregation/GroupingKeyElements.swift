/// The elements of a leak's grouping key by which similar leaks are found. Their hashes are in the table `leak_element`.
package enum GroupingKeyElements {
    /// Maximum number of elements of one leak: those nearest to the leaked object.
    package static let maxCount = 4

    /// Keys of grouping rules up to this version list owners, outermost first and the leaked object last. Keys of later rules
    /// list calls, innermost first.
    private static let lastPathVersion = 1

    /// - Returns: the hash of each element once, ascending.
    package static func hashes(of key: GroupingKey) -> [Int64] {
        let isPath = key.version <= lastPathVersion && !key.className.isEmpty
        let isSelf = isPath && key.stack.last.map { ByteText($0) == ByteText(key.className) } ?? false
        let others = isSelf ? key.stack.dropLast() : key.stack[...]
        let nearest = isPath ? others.suffix(maxCount) : others.prefix(maxCount)
        return Set(nearest.map { hash($0) }).sorted()
    }

    /// FNV-1a: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
    private static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash)
    }
}

/// Limits of the search for similar leaks, so that a store needs few steps.
package enum SimilarLeakLimits {
    /// Number of leaks of the same class that are searched.
    package static let maxSearchedLeaksOfClass = 50
    /// Number of the searched leaks of the same class that are read: the leaks with the most reports.
    package static let maxReadLeaksOfClass = 18
    /// Number of leaks that are read for each element of the key.
    package static let maxLeaksPerElement = 8
    /// Number of leaks whose classes are compared with the class of a leak: this number before it and this number after it, in
    /// the order of the names.
    package static let maxComparedClassNames = 1_024
    /// Number of leaks without a class whose texts are compared with the text of a leak.
    package static let maxComparedTexts = 512
    /// Number of leaks with a similar class or text that are read.
    package static let maxLeaksWithSimilarName = 12
}
