/// Numbers of checks by class. Names of classes are compared byte by byte, as in the store.
///
/// `String` treats a composed and a decomposed accent as equal, so a dictionary can hold only one of two such names.
/// The other one is in a further dictionary.
struct ClassCounts {
    private(set) var first: [String: Int] = [:]
    private(set) var others: [[String: Int]] = []
    /// The dictionary of each name: 0 for ``first``, otherwise one more than the index in ``others``.
    private var indices: [[UInt8]: Int] = [:]

    mutating func add(_ count: Int, to name: String) {
        let bytes = Array(name.utf8)
        if let index = indices[bytes] {
            if index == 0 {
                Self.add(count, to: name, in: &first)
            } else {
                Self.add(count, to: name, in: &others[index - 1])
            }
            return
        }
        if first[name] == nil {
            indices[bytes] = 0
            first[name] = count
        } else if let index = others.firstIndex(where: { $0[name] == nil }) {
            indices[bytes] = index + 1
            others[index][name] = count
        } else {
            others.append([name: count])
            indices[bytes] = others.count
        }
    }

    private static func add(_ count: Int, to name: String, in counts: inout [String: Int]) {
        let (sum, overflows) = counts[name, default: 0].addingReportingOverflow(count)
        counts[name] = overflows ? .max : sum
    }
}
