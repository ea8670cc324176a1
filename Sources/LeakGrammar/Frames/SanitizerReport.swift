internal import LeakMessage

/// A report of LeakSanitizer, with a call stack for each leak.
///
/// The report begins with `==123==ERROR: LeakSanitizer: detected memory leaks`. Each leak has a heading
/// `Direct leak of 24 byte(s) in 1 object(s) allocated from:`, with its frames in the lines below.
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
                min($0, WireLimits.aliveCount)
            }
        }

        /// The heading and the lines of the leak as one text.
        var text: [UInt8] { Self.text(heading, lines[...]) }

        /// Returns the heading and the first lines, as many as fit into a number of bytes; `nil` if not even one line fits.
        func text(within byteCount: Int) -> [UInt8]? {
            var byteCountLeft = byteCount - heading.count
            let fittingLines = lines.prefix { line in
                byteCountLeft -= 1 + line.count
                return byteCountLeft >= 0
            }
            return fittingLines.isEmpty ? nil : Self.text(heading, fittingLines)
        }

        private static func text(_ heading: Text, _ lines: ArraySlice<Text>) -> [UInt8] {
            Array(([heading] + lines).joined(separator: [UInt8(ascii: "\n")]))
        }
    }

    /// The text before the report.
    let head: Text
    let leaks: [Leak]

    private static let lineLimit = 1024

    /// - Parameter normalizedText: a text that ``MessageNormalizer`` has normalized.
    /// - Returns: `nil` for a text without a leak of LeakSanitizer that has frames.
    init?(_ normalizedText: Text, _ reader: FrameReader) {
        guard normalizedText.contains("irect leak of ") else { return nil }
        let text = PrivateTextRemover.removed(from: normalizedText)[...]
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
            let content = line.trimmed
            if Self.isHeading(content) {
                endLeak()
                heading = content
                headEnd = min(headEnd, line.startIndex)
            } else if Self.isTitle(content) {
                headEnd = min(headEnd, line.startIndex)
            } else if heading != nil {
                guard let frame = reader.read(content) else {
                    endLeak()
                    continue
                }
                guard frames.count < WireLimits.stackCount else { continue }
                lines.append(content)
                frames.append(frames.isEmpty ? Self.withAllocatorAsSystem(frame) : frame)
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

    /// Returns `true` for `==123==ERROR: LeakSanitizer: detected memory leaks`, or the line of equals signs above it.
    private static func isTitle(_ line: Text) -> Bool {
        line.starts(with: "==")
            && (line.contains("LeakSanitizer: ") || line.allSatisfy { $0 == UInt8(ascii: "=") })
    }

    /// Marks an allocation function as a system frame. The sanitizer's allocation functions are linked into the app, so their image
    /// does not show that they are not frames of the app.
    private static func withAllocatorAsSystem(_ frame: CallFrame) -> CallFrame {
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

    /// Returns the kept part of the report: `head` and the first leaks that fit into the wire format's limit for messages. Titles,
    /// which differ between processes, are left out. If not even the first leak fits, its first frames are kept, because they
    /// determine its group.
    ///
    /// - Parameter head: the part of ``head`` that redaction keeps.
    func kept(after head: Text) -> [UInt8] {
        var keptText = Array(head)
        for (index, leak) in leaks.enumerated() {
            let byteCountLeft = WireLimits.messageBytes - keptText.count - (keptText.isEmpty ? 0 : 1)
            let fittingText = leak.text(within: byteCountLeft)
            guard let text = fittingText, index == 0 || text.count == leak.text.count else { break }
            if !keptText.isEmpty { keptText.append(UInt8(ascii: "\n")) }
            keptText += text
        }
        return keptText
    }
}
