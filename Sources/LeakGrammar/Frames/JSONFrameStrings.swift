internal import LeakMessage

/// A call stack that a JSON text has as strings under a key such as `stack`: each frame one, as `JSONSerialization` writes
/// `Thread.callStackSymbols`, or all of them as the lines of one.
struct JSONFrameStrings {
    /// Two or more.
    let lines: [Text]
    /// The places of the strings in the text.
    let slices: [JSONSlice]
    /// How many objects and arrays of the text are around them.
    let depth: Int
    let isSystem: Bool

    /// Lines of one string that are looked at.
    private static let lineLimit = 512
    private static let words = ["stack", "trace", "frames", "symbols"]
    private static var reader: FrameReader { FrameReader(demangle: { _ in nil }) }

    /// Returns `true` for the key of a call stack. All other strings may be text that a user typed, such as numbers that look
    /// like addresses.
    static func isKey(_ key: String) -> Bool {
        let key = key.lowercased()
        return words.contains { key.contains($0) }
    }

    /// - Parameter strings: of one array, of which the first frames one after another count; or one of nothing but frames.
    init?(_ strings: [(text: String, slice: JSONSlice)], depth: Int) {
        var (lines, frames, slices) = ([Text](), [CallFrame](), [JSONSlice]())
        if let only = strings.first, strings.count == 1 {
            slices = [only.slice]
            for text in Text(only.text).lines where !text.trimmed.isEmpty {
                guard lines.count < Self.lineLimit, let (line, frame) = Self.read(text) else { return nil }
                lines.append(line)
                frames.append(frame)
            }
        }
        for string in strings.prefix(Self.lineLimit) where strings.count > 1 {
            if let (line, frame) = Self.read(Text(string.text)) {
                lines.append(line)
                frames.append(frame)
                slices.append(string.slice)
            } else if frames.count < 2 {
                (lines, frames, slices) = ([], [], [])
            } else {
                break
            }
        }
        guard frames.count >= 2 else { return nil }
        (self.lines, self.slices, self.depth) = (Array(lines.prefix(WireLimits.stackCount)), slices, depth)
        isSystem = frames.allSatisfy(\.isSystem)
    }

    /// From the first of the strings to the last.
    var whole: JSONSlice {
        JSONSlice(slices[0].range.lowerBound..<slices[slices.count - 1].range.upperBound)
    }

    /// Returns `false` for bytes that names and places need not have, and values, addresses of pages and of people do.
    private static func isOfFrame(_ byte: UInt8) -> Bool {
        byte.isIdentifier || " .:,+-*/()[]<>#_$`~&{}|!".utf8.contains(byte)
    }

    /// A line as it is read where it stands alone.
    ///
    /// - Returns: `nil` also for a frame with something in it that a user may have typed, and for an address alone.
    private static func read(_ text: Text) -> (line: Text, frame: CallFrame)? {
        let line = MessageNormalizer.plain(text.string)
        guard line.count <= FrameReader.byteLimit, line.allSatisfy(isOfFrame), !line.contains("://"),
            !line.contains(": "), let frame = reader.read(line), frame != CallFrame(),
            Redaction.name(line) == line
        else { return nil }
        return (line, frame)
    }
}
