internal import LeakMessage

/// A report of LeakSanitizer, with a call stack for each leak.
///
/// `==123==ERROR: LeakSanitizer: detected memory leaks`, and then for each leak
/// `Direct leak of 24 byte(s) in 1 object(s) allocated from:` with the frames in the lines below.
/// https://clang.llvm.org/docs/LeakSanitizer.html
struct SanitizerReport {
    struct Leak {
        let heading: Text
        let lines: [Text]
        let frames: [CallFrame]

        /// The number of objects that the heading states.
        var objectCount: Int? {
            guard let range = heading.firstRange(of: " byte(s) in ") else { return nil }
            return Int(heading[range.upperBound...].prefix { $0.isDigit }.prefix(9).string).map {
                min($0, WireLimits.alive)
            }
        }

        /// The leak as a text of its own.
        var text: [UInt8] { Array(([heading] + lines).joined(separator: [UInt8(ascii: "\n")])) }
    }

    /// The text in front of the report.
    let head: Text
    let leaks: [Leak]

    private static let lineLimit = 1024

    /// - Parameter given: a text that ``MessageNormalizer`` has normalized.
    /// - Returns: `nil` for a text without such a leak.
    init?(_ given: Text, _ reader: FrameReader) {
        guard given.contains("irect leak of ") else { return nil }
        let text = PrivateText.removed(from: given)[...]
        var headEnd = text.endIndex
        var leaks: [Leak] = []
        var heading: Text?
        var (lines, frames): ([Text], [CallFrame]) = ([], [])
        func endLeak() {
            if let heading, !frames.isEmpty {
                leaks.append(Leak(heading: heading, lines: lines, frames: frames))
            }
            (heading, lines, frames) = (nil, [], [])
        }
        for line in text.split(
            separator: UInt8(ascii: "\n"), maxSplits: Self.lineLimit, omittingEmptySubsequences: false)
        {
            let words = line.trimmed
            if Self.isHeading(words) {
                endLeak()
                heading = words
                headEnd = min(headEnd, line.startIndex)
            } else if Self.isTitle(words) {
                headEnd = min(headEnd, line.startIndex)
            } else if heading != nil {
                guard let frame = reader.read(words) else {
                    endLeak()
                    continue
                }
                guard frames.count < WireLimits.stackCount else { continue }
                lines.append(words)
                frames.append(frames.isEmpty ? Self.asAllocator(frame) : frame)
            }
        }
        endLeak()
        guard !leaks.isEmpty else { return nil }
        self.leaks = leaks
        head = text[..<headEnd].trimmed
    }

    private static func isHeading(_ line: Text) -> Bool {
        (line.starts(with: "Direct leak of ") || line.starts(with: "Indirect leak of "))
            && line.ends(with: " allocated from:")
    }

    /// `==123==ERROR: LeakSanitizer: detected memory leaks`, and the line of equals signs above.
    private static func isTitle(_ line: Text) -> Bool {
        line.starts(with: "==")
            && (line.contains("LeakSanitizer: ") || line.allSatisfy { $0 == UInt8(ascii: "=") })
    }

    /// The innermost function is the sanitizer's own, which is linked into the app.
    private static func asAllocator(_ frame: CallFrame) -> CallFrame {
        var frame = frame
        let allocators: [StaticString] = [
            "malloc", "calloc", "realloc", "operator new", "memalign", "aligned_alloc", "posix_memalign",
            "strdup",
            "strndup", "__interceptor_", "___interceptor_", "wrap_malloc", "reallocarray", "valloc",
        ]
        let function = Text(frame.function ?? "")
        if allocators.contains(where: { function.starts(with: $0) }) { frame.isSystem = true }
        return frame
    }

    /// Returns the kept part of the report, without text that differs between processes: its leaks, as long as the wire format's
    /// limit has room for them.
    ///
    /// - Parameter head: the kept part of ``head``.
    func kept(behind head: Text) -> [UInt8] {
        var kept = Array(head)
        for leak in leaks {
            let text = leak.text
            guard kept.count + text.count < WireLimits.messageBytes else { break }
            if !kept.isEmpty { kept.append(UInt8(ascii: "\n")) }
            kept += text
        }
        return kept
    }
}
