/// Counts of checks by class. Names of classes are compared byte by byte, as in the store.
///
/// `String` treats a composed and a decomposed accent as equal, so a dictionary can hold only one of two such names. The second
/// name is counted in another dictionary.
struct ClassCounts {
    private(set) var counts: [String: Int] = [:]
    /// Further dictionaries. Each name in them is equal, as a `String`, to a name with other bytes in every dictionary before
    /// it.
    private(set) var collidingCounts: [[String: Int]] = []
    /// The dictionary of each name: 0 for ``counts``, otherwise 1 + the index in ``collidingCounts``.
    private var indices: [[UInt8]: Int] = [:]

    mutating func add(_ count: Int, to name: String) {
        let bytes = Array(name.utf8)
        if let index = indices[bytes] {
            if index == 0 {
                Self.add(count, to: name, in: &counts)
            } else {
                Self.add(count, to: name, in: &collidingCounts[index - 1])
            }
            return
        }
        if counts[name] == nil {
            indices[bytes] = 0
            counts[name] = count
        } else if let index = collidingCounts.firstIndex(where: { $0[name] == nil }) {
            indices[bytes] = index + 1
            collidingCounts[index][name] = count
        } else {
            collidingCounts.append([name: count])
            indices[bytes] = collidingCounts.count
        }
    }

    private static func add(_ count: Int, to name: String, in dictionary: inout [String: Int]) {
        let (sum, overflows) = dictionary[name, default: 0].addingReportingOverflow(count)
        dictionary[name] = overflows ? .max : sum
    }
}
