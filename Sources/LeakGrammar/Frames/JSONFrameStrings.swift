internal import LeakMessage

/// A call stack in the strings of a JSON text, under a key such as `stack`. Each frame is a string, as `JSONSerialization` writes
/// `Thread.callStackSymbols`, or all frames are the lines of one string.
struct JSONFrameStrings {
    /// The lines of two or more frames.
    let lines: [Text]
    /// The positions of the strings in the text.
    let slices: [JSONSlice]
    /// The number of objects and arrays around the strings.
    let depth: Int
    /// `true` if all frames belong to the system.
    let isSystem: Bool

    /// The maximum number of strings that are read. A single string with more lines than this number is not read as a call
    /// stack.
    private static let lineLimit = 512
    private static let wordsInKeys = ["stack", "trace", "frames", "symbols"]
    private static var reader: FrameReader { FrameReader(demangle: { _ in nil }) }

    /// Returns `true` if a key names a call stack, such as `stackTrace`. Values of other keys are not read as frames, even if they look
    /// like addresses, because a user may have typed them.
    static func isCallStackKey(_ key: String) -> Bool {
        let key = key.lowercased()
        return wordsInKeys.contains { key.contains($0) }
    }

    /// - Parameter strings: the strings of one array, of which the first consecutive frames are read; or one string, whose lines must
    ///   all be frames.
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

    /// The range from the first string to the last.
    var whole: JSONSlice {
        JSONSlice(slices[0].range.lowerBound..<slices[slices.count - 1].range.upperBound)
    }

    /// Returns `true` for a byte that may occur in a frame. Bytes that occur only in values, URLs and e-mail addresses are left out.
    private static func isAllowedInFrame(_ byte: UInt8) -> Bool {
        byte.isIdentifier || " .:,+-*/()[]<>#_$`~&{}|!".utf8.contains(byte)
    }

    /// Reads a line as ``FrameReader`` does.
    ///
    /// - Returns: `nil` also for a frame that may contain text that a user typed, and for an address without a name.
    private static func read(_ text: Text) -> (line: Text, frame: CallFrame)? {
        let line = MessageNormalizer.plain(text.string)
        guard line.count <= FrameReader.lineByteLimit, line.allSatisfy(isAllowedInFrame),
            !line.contains("://"),
            !line.contains(": "), FrameReader.wordsBeforeFrame(in: line).isEmpty,
            let frame = reader.read(line), frame != CallFrame(),
            MessageRedactor.redactedName(line) == line
        else { return nil }
        return (line, frame)
    }
}
