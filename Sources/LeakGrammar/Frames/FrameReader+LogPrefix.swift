internal import LeakMessage

// Finds the text that a log writes before a frame, such as `web-1  | ` of Docker, `E/Tag( 1234): ` of logcat and
// `Nov 24 10:33:00 host shop[123]: ` of syslog.

extension FrameReader {
    /// Limit of the bytes of a log's text before a frame.
    private static let logPrefixByteLimit = 128
    /// Limit of the positions in a line that are tried as the start of a frame, so that a line of separators takes no longer.
    private static let logPrefixAttemptLimit = 12
    /// Limit of the bytes of an image's name in ``isNumberedColumns(_:)``.
    private static let imageByteLimit = 128

    /// Returns the text after a process, such as `Shop[3933:3009455] ` of `NSLog`, at the start of a line without its time; `nil` if
    /// the line does not begin with a process. The number of an image in a line of `Backtrace`, `[ra] [0] `, follows a space.
    static func withoutProcess(_ line: Text) -> Text? {
        let front = line.prefix(logPrefixByteLimit)
        guard let open = front.firstIndex(of: UInt8(ascii: "[")),
            open == front.startIndex || front[open - 1] > 0x20,
            let close = front[open...].firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let numbers = front[(open + 1)..<close]
        guard open > front.startIndex || numbers.contains(UInt8(ascii: ":")), !numbers.isEmpty,
            numbers.allSatisfy({ $0.isHexadecimal || $0 == UInt8(ascii: ":") }),
            numbers.contains(where: \.isDigit)
        else { return nil }
        let textAfter = line[(close + 1)...]
        let entry = textAfter.dropping(":") ?? textAfter
        return entry.first ?? 0x20 <= 0x20 ? entry : nil
    }

    /// Returns the frame, or the line of a list of images, that follows a log's text in a line; `nil` if the line has no such text,
    /// or if it is a frame itself. The text may be any words, so only unmistakable forms are looked for, and only after a separator.
    static func textAfterLogPrefix(_ line: Text) -> Text? {
        var attempts = 0
        var index = line.startIndex + 2
        let end = min(line.endIndex, line.startIndex + logPrefixByteLimit)
        while index < end {
            switch line[index] {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"),
                UInt8(ascii: "`"), UInt8(ascii: ";"):
                // Text that a user typed is in quotes or in the description of an object.
                return nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "#"), UInt8(ascii: "a"),
                UInt8(ascii: "f"), UInt8(ascii: "I"), UInt8(ascii: "A"):
                guard line[index - 1] <= 0x20, isAfterSeparator(index, in: line) else { break }
                if isUnmistakable(line[index...]) { return isUnmistakable(line) ? nil : line[index...] }
                attempts += 1
                if attempts == logPrefixAttemptLimit { return nil }
            case UInt8(ascii: "b")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "/"):
                guard line[index - 1] <= 0x20, isAfterSeparator(index, in: line) else { break }
                if isELFFrame(line[index...]) { return line[index...] }
                // A sentence may have such a frame after a colon or a bracket: `see: com.acme.Cart.load(Cart.java:3)`.
                let isInSentence =
                    line[index - 2] == UInt8(ascii: ":") || line[index - 2] == UInt8(ascii: ")")
                if !isInSentence, isJavaFrameWithoutAt(line[index...]) { return line[index...] }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Returns `true` if an index follows `: `, `| `, `] `, `) `, ` - `, ` F `, or a blank after another blank or a control
    /// character.
    ///
    /// - Parameter index: the index after a blank.
    private static func isAfterSeparator(_ index: Int, in line: Text) -> Bool {
        switch line[index - 2] {
        case 0...0x20, UInt8(ascii: ":"), UInt8(ascii: "|"), UInt8(ascii: "]"), UInt8(ascii: ")"): true
        case UInt8(ascii: "-"): line[..<(index - 1)].ends(with: " -")
        case UInt8(ascii: "F"): line[..<(index - 1)].ends(with: " F")
        default: false
        }
    }

    /// Returns the words that a log, or the end of a sentence, has between the time and the frame of a line, without numbers; empty
    /// for a line that has only a frame.
    static func wordsBeforeFrame(in line: Text) -> [Text] {
        let text = withoutTimeAndMarks(line).text
        guard let frame = textAfterLogPrefix(text) else { return [] }
        return text[..<frame.startIndex].split(whereSeparator: { !$0.isIdentifier }).filter {
            !$0.contains(where: \.isDigit)
        }
    }

    /// Returns a line from its frame on, without the words that ``wordsBeforeFrame(in:)`` returns and without a time.
    static func fromFrame(_ line: Text) -> Text {
        let text = withoutTimeAndMarks(line).text
        return textAfterLogPrefix(text) ?? text
    }

    /// Returns `true` if a log's text may be before a text, because no sentence begins like it: columns of Apple and of `Backtrace`,
    /// `#01 pc 0012ab34`, `#1 0x0012ab34`, `frame #1: 0x0012ab34`, `at Cart.load(Cart.java:3)`,
    /// `#1      load (package:shop/cart.dart:3:5)`, and the lines of the list of images.
    static func isUnmistakable(_ text: Text) -> Bool {
        guard let first = text.first else { return false }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return isNumberedColumns(text)
        case UInt8(ascii: "#"): return isNumberedFrame(text.dropFirst())
        case UInt8(ascii: "a"): return text.dropping("at ").map { isFrameAfterAt($0.trimmed) } ?? false
        case UInt8(ascii: "f"):
            guard let number = text.dropping("frame #") else { return false }
            return isLongAddress(number.drop(while: \.isDigit).dropping(": ") ?? [])
        case UInt8(ascii: "I"):
            return text.equals("Images:") || text.starts(with: "Images (") && text.ends(with: "):")
        case UInt8(ascii: "A"): return text.starts(with: "Architecture: ")
        default: return false
        }
    }

    /// Returns `true` for `3   Shop   0x0012ab34…` and `3⇥0x0012ab34…`. The name of an image has no separators of a log.
    static func isNumberedColumns(_ text: Text) -> Bool {
        let digits = text.prefix { $0.isDigit }
        guard (1...4).contains(digits.count), text[digits.endIndex...].first.map({ $0 <= 0x20 }) ?? false
        else { return false }
        let columns = text[digits.endIndex...].trimmed
        if isLongAddress(columns) { return true }
        let front = columns.prefix(imageByteLimit + 4)
        guard let address = front.firstRange(of: " 0x") ?? front.firstRange(of: "\t0x"),
            isLongAddress(columns[(address.lowerBound + 1)...])
        else { return false }
        let image = columns[..<address.lowerBound].trimmed
        // Swift's crash handler prints attributes before the address: `3 [ra] [inlined] 0x0012ab34…`.
        if image.first == UInt8(ascii: "[") {
            return image.allSatisfy { $0.isLetter || "[] ".utf8.contains($0) }
        }
        let separators: [StaticString] = [": ", "| ", "] ", "  "]
        return !image.isEmpty && !separators.contains { image.contains($0) }
    }

    /// Returns `true` for an address of at least eight digits and the end of the word. In the list of images, `-` follows.
    private static func isLongAddress(_ text: Text) -> Bool {
        guard let textAfter = text.dropping("0x") else { return false }
        let digits = textAfter.prefix(17).prefix { $0.isHexadecimal }
        let next = textAfter[digits.endIndex...].first ?? 0x20
        return (8...16).contains(digits.count)
            && (next <= 0x20 || next == UInt8(ascii: "-") || next == UInt8(ascii: ":"))
    }

    /// Returns `true` for `io.netty.buffer.Pool.allocate(Pool.java:363)`.
    static func isJavaFrameWithoutAt(_ text: Text) -> Bool {
        guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            return false
        }
        let (name, position) = (text[..<open], text[(open + 1)...].dropLast())
        guard name.count(where: { $0 == UInt8(ascii: ".") }) >= 2, name.first?.isLetter ?? false,
            !name.contains(UInt8(ascii: " "))
        else { return false }
        if SourcePositionParser.fileAndLine(position) != nil {
            let file = position.prefix { $0 != UInt8(ascii: ":") }
            return javaEndings.contains { file.ends(with: $0) }
        }
        return position.equals("Native Method") || position.equals("Unknown Source")
    }

    private static let javaEndings: [StaticString] = [".java", ".kt", ".scala", ".groovy"]

    /// Returns `true` for `./shop(load+0x1f) [0x55dd8268e1b9]`.
    private static func isELFFrame(_ text: Text) -> Bool {
        guard text.first == UInt8(ascii: ".") || text.first == UInt8(ascii: "/"),
            text.last == UInt8(ascii: "]"),
            let address = text.lastRange(of: ") [0x")
        else { return false }
        return text[address.upperBound...].dropLast().allSatisfy(\.isHexadecimal)
            && !text[..<address.lowerBound].contains(UInt8(ascii: " "))
    }

    /// - Parameter text: the text after `#`.
    private static func isNumberedFrame(_ text: Text) -> Bool {
        let digits = text.prefix { $0.isDigit }
        let remainder = text[digits.endIndex...]
        guard (1...4).contains(digits.count), remainder.first.map({ $0 <= 0x20 }) ?? false else {
            return false
        }
        if isNumberedColumns(text) { return true }
        let frame = remainder.trimmed
        if let native = frame.dropping("pc ") {
            let address = (native.dropping("0x") ?? native).prefix(17).prefix { $0.isHexadecimal }
            return (8...16).contains(address.count)
        }
        return remainder.starts(with: "  ") && isDart(frame)
    }

    private static func isDart(_ frame: Text) -> Bool {
        guard frame.last == UInt8(ascii: ")"), let open = frame.lastRange(of: " (") else { return false }
        let position = frame[open.upperBound...].dropLast()
        return SourcePositionParser.lineAndColumn(position) != nil
            && (position.starts(with: "package:") || position.starts(with: "dart:")
                || position.starts(with: "file:///"))
    }

    /// - Parameter text: the text after `at `.
    private static func isFrameAfterAt(_ text: Text) -> Bool {
        if text.first?.isDigit ?? false { return isNumberedColumns(text) }
        guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")) else {
            return false
        }
        let position = text[(open + 1)...].dropLast()
        let isSource =
            position.equals("Native Method") || position.equals("Unknown Source")
            || position.equals("native") || SourcePositionParser.lineAndColumn(position) != nil
            || SourcePositionParser.fileAndLine(position) != nil && !text[..<open].ends(with: " ")
        return isSource && VirtualMachineFrameParser.read(text) != nil
    }

    /// Returns `true` for the text that a log writes before each line, without a line after it: the empty lines in a list of images.
    ///
    /// - Parameters:
    ///   - line: a line without its time and process.
    ///   - hasTime: `true` if there was a time before it.
    static func isLogPrefixAlone(_ line: Text, hasTime: Bool) -> Bool {
        guard line.count <= logPrefixByteLimit, let last = line.last else { return false }
        switch last {
        case UInt8(ascii: "|"):
            // `web-1  |` of Docker, but not a line of source code.
            let first = line.first ?? last
            return first != last && !first.isDigit
        case UInt8(ascii: "]"):
            return (hasTime || line.first == UInt8(ascii: "[")) && isEndOfLogPrefix(line.dropLast())
                && !isUnmistakable(line)
        case UInt8(ascii: ":"):
            let front = line.dropLast()
            if front.equals("flutter") { return true }
            if let inner = front.droppingLast("]") ?? front.droppingLast(")") {
                // `shop[123]:` of syslog, `E/Tag( 1234):` of logcat.
                guard inner.last?.isDigit ?? false, let end = inner.lastIndex(where: { !$0.isDigit }) else {
                    return false
                }
                let before = inner[...end].trimmed.last
                return before == UInt8(ascii: "[") || before == UInt8(ascii: "(")
            }
            // `1234  5678 E Tag:` of logcat.
            return hasTime && line.first?.isDigit ?? false
        case UInt8(ascii: "F"), UInt8(ascii: "V"), UInt8(ascii: "D"), UInt8(ascii: "I"), UInt8(ascii: "W"),
            UInt8(ascii: "E"):
            // `stdout F` of Kubernetes, `1234-5678  Tag  com.acme  D` of Android Studio.
            return hasTime
                && (line.equals("stdout F") || line.equals("stderr F") || line.dropLast().ends(with: "  "))
        default: return false
        }
    }

    /// - Parameter text: a text before `]`.
    private static func isEndOfLogPrefix(_ text: Text) -> Bool {
        guard let open = text.lastIndex(of: UInt8(ascii: "[")) else { return false }
        let inside = text[(open + 1)...]
        return !inside.isEmpty && !inside.starts(with: "0x") && !text.contains(UInt8(ascii: "@"))
            && !text.contains("frame #")
    }
}
