internal import LeakPlatform

extension RetainExplanation {
    /// The explanation as the end of a sentence that begins with the object's name and "is"; `nil` if nothing was found.
    ///
    /// For example: `kept by a cycle: CartViewModel.onPaid → closure → CartViewModel; with it 14.2 KB in 9 objects would be freed`.
    public var summary: String? {
        let unexplained = unexplainedReferences
        var text: String
        if let path {
            text =
                "\(confidence == .proven ? "" : "probably ")kept by \(path.isCycle ? "a cycle: " : "")\(path)"
            text += furtherCycles.map { "; and by a cycle: \($0)" }.joined()
            if path.isCycle, unexplained > 0 {
                text += "; \(countText(unexplained, of: "other reference")) could not be explained"
            }
        } else if unexplained > 0 {
            text =
                "kept by \(countText(unexplained, of: "reference")) from objects that were not searched; no cycle was found"
        } else {
            return nil
        }
        if let cost {
            let atLeast = cost.isAtLeast ? "at least " : ""
            text +=
                "; with it \(atLeast)\(Self.sizeText(cost.bytes)) in \(countText(cost.objects, of: "object")) would be freed"
        }
        return text
    }

    /// Returns a size such as `512 bytes`, `14.2 KB` or `3.1 MB`, rounded down to tenths.
    private static func sizeText(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: return countText(bytes, of: "byte")
        case ..<1_000_000: return "\(bytes / 1_000).\(bytes / 100 % 10) KB"
        default: return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}
