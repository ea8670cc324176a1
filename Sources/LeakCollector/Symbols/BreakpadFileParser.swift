internal import LeakGrammar
internal import LeakMessage

/// Parser of a Breakpad symbol file, as `dump_syms` writes it, line by line.
/// https://chromium.googlesource.com/breakpad/breakpad/+/HEAD/docs/symbol_files.md
package struct BreakpadFileParser {
    /// The reason why a file cannot be read.
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    /// An `INLINE` line: a function that is inlined into the current function.
    private struct Inline {
        /// Number of inlined functions around this function; 0 if it is inlined directly.
        var depth: Int
        /// Line and file of the call that was inlined.
        var callLine: Int
        var callFile: Int
        /// Key of the function's name in ``origins``.
        var origin: Int
        var ranges: [Range<UInt64>]
    }

    private struct Function {
        var range: Range<UInt64>
        var name: String
        var inlines: [Inline] = []
        var lines: [(range: Range<UInt64>, line: Int, file: Int)] = []
    }

    private var image: ImageID?
    private var architecture = ""
    private var name = ""
    private var isELF = false
    private var files: [Int: String] = [:]
    /// Names of inlined functions, by the numbers in `INLINE_ORIGIN` lines.
    private var origins: [Int: String] = [:]
    private var names = SymbolNames()
    private var function: Function?
    private var publicSymbols: [(address: UInt64, name: String)] = []
    private var ranges: [(range: Range<UInt64>, calls: [SymbolicatedFrame])] = []
    /// End of the code that unwinding data describes.
    private var endOfCode: UInt64 = 0
    /// Assumed size of the last symbol if the file does not tell where the code ends.
    private static let assumedLastSymbolBytes: UInt64 = 64 << 10
    private var lineNumber = 0

    package init() {}

    /// Reads the next line.
    ///
    /// - Throws: ``Unreadable`` if the first line is not a `MODULE` line. Other lines that cannot be parsed are
    ///   skipped.
    package mutating func read(_ line: String) throws(Unreadable) {
        lineNumber += 1
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        if lineNumber == 1 {
            guard words.count >= 5, words[0] == "MODULE", let id = ImageID(String(words[3])) else {
                throw Unreadable(description: "its first line is not a MODULE line with an id")
            }
            (image, architecture) = (id, String(words[2]))
            isELF = words[1] == "Linux" || words[1] == "Android"
            name = words[4...].joined(separator: " ")
            return
        }
        guard let kind = words.first else { return }
        switch kind {
        case "INFO" where words.count >= 3 && words[1] == "CODE_ID" && isELF:
            image = ImageID(String(words[2])) ?? image
        case "FILE":
            if let number = Self.decimal(words, 1) {
                files[number] = Self.fileName(of: Self.text(of: line, afterWords: 2))
            }
        case "INLINE_ORIGIN":
            if let number = Self.decimal(words, 1) { origins[number] = Self.text(of: line, afterWords: 2) }
        case "FUNC":
            finishFunction()
            let start = words.dropFirst(words.count > 1 && words[1] == "m" ? 2 : 1)
            guard start.count >= 4, let address = Self.hexadecimal(start.first),
                let size = Self.hexadecimal(start.dropFirst().first), let range = Self.range(address, size)
            else { return }
            function = Function(
                range: range, name: Self.text(of: line, afterWords: words.count - start.count + 3))
        case "INLINE":
            guard words.count >= 7, let depth = Self.decimal(words, 1), let line = Self.decimal(words, 2),
                let file = Self.decimal(words, 3), let origin = Self.decimal(words, 4)
            else { return }
            let numbers = words[5...].map { Self.hexadecimal($0) }
            let ranges = stride(from: 0, to: numbers.count - 1, by: 2).compactMap { index in
                numbers[index].flatMap { start in numbers[index + 1].flatMap { Self.range(start, $0) } }
            }
            function?.inlines.append(
                Inline(depth: depth, callLine: line, callFile: file, origin: origin, ranges: ranges))
        case "PUBLIC":
            finishFunction()
            let start = words.dropFirst(words.count > 1 && words[1] == "m" ? 2 : 1)
            guard start.count >= 3, let address = Self.hexadecimal(start.first) else { return }
            publicSymbols.append((address, Self.text(of: line, afterWords: words.count - start.count + 2)))
        case "STACK":
            finishFunction()
            // The line is `STACK CFI INIT ADDRESS SIZE …` or `STACK WIN TYPE ADDRESS SIZE …`.
            guard words.count >= 5, words[1] == "WIN" || words[1] == "CFI" && words[2] == "INIT",
                let start = Self.hexadecimal(words[3]), let size = Self.hexadecimal(words[4]),
                let range = Self.range(start, size)
            else { return }
            endOfCode = max(endOfCode, range.upperBound)
        default:
            guard words.count >= 4, let address = Self.hexadecimal(words[0]),
                let size = Self.hexadecimal(words[1]), let range = Self.range(address, size),
                let line = Self.decimal(words, 2), let file = Self.decimal(words, 3)
            else { return }
            function?.lines.append((range, line, file))
        }
    }

    /// Builds the table after the last line.
    ///
    /// - Returns: the bytes of a ``SymbolTable``, and its number of ranges.
    package mutating func finish() throws(Unreadable) -> (table: [UInt8], rangeCount: Int) {
        finishFunction()
        guard let image else { throw Unreadable(description: "it is empty") }
        guard !ranges.isEmpty || !publicSymbols.isEmpty else {
            throw Unreadable(
                description: "it names no function; create it again from the program with its debug data")
        }
        var builder = SymbolTableBuilder(image: image, name: name, architecture: architecture)
        ranges.sort { $0.range.lowerBound < $1.range.lowerBound }
        publicSymbols.sort { $0.address < $1.address }
        var coveredEnd: UInt64 = 0
        var remainingSymbols = publicSymbols[...]
        endOfCode = max(endOfCode, ranges.last?.range.upperBound ?? 0)
        let last = publicSymbols.last?.address ?? 0
        let (assumedEnd, isTooLarge) = last.addingReportingOverflow(Self.assumedLastSymbolBytes)
        let endOfLast = min(
            endOfCode > last ? endOfCode : isTooLarge ? .max : assumedEnd, SymbolTable.Limits.offset)
        func addPublics(upTo limit: UInt64) {
            while let symbol = remainingSymbols.first, symbol.address < limit {
                remainingSymbols = remainingSymbols.dropFirst()
                let stop = min(limit, remainingSymbols.first?.address ?? max(endOfLast, symbol.address))
                guard symbol.address >= coveredEnd, symbol.address < stop,
                    let name = names.name(of: symbol.name)
                else { continue }
                builder.add(symbol.address..<stop, [SymbolicatedFrame(function: name)])
            }
        }
        for part in ranges {
            addPublics(upTo: part.range.lowerBound)
            let start = max(part.range.lowerBound, coveredEnd)
            guard start < part.range.upperBound else { continue }
            builder.add(start..<part.range.upperBound, part.calls)
            coveredEnd = part.range.upperBound
        }
        addPublics(upTo: .max)
        return (builder.finish(), builder.count)
    }

    /// Ends the current function. Adds a range for each of its lines, with the functions that are inlined there, and ranges
    /// for its bytes that have no line.
    private mutating func finishFunction() {
        guard let function else { return }
        self.function = nil
        guard let name = names.name(of: function.name) else { return }
        var end = function.range.lowerBound
        var inlined = InlinedCallSearch(function.inlines)
        for line in function.lines.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let (start, stop) = (
                max(line.range.lowerBound, end), min(line.range.upperBound, function.range.upperBound)
            )
            guard start < stop else { continue }
            if end < start { ranges.append((end..<start, [SymbolicatedFrame(function: name)])) }
            ranges.append(
                (
                    start..<stop,
                    calls(inlined: inlined.next(at: start), function: name, line: line.line, file: line.file)
                ))
            end = stop
        }
        if end < function.range.upperBound {
            ranges.append((end..<function.range.upperBound, [SymbolicatedFrame(function: name)]))
        }
    }

    /// Search for the inlined functions at ascending addresses. An inlined function is examined only while the addresses
    /// are in its range.
    private struct InlinedCallSearch {
        private let inlines: [Inline]
        private let ranges: [(range: Range<UInt64>, inline: Int)]
        private var position = 0
        private var activeRanges: [(range: Range<UInt64>, inline: Int)] = []

        init(_ inlines: [Inline]) {
            self.inlines = inlines
            ranges = inlines.enumerated().flatMap { index, inline in inline.ranges.map { ($0, index) } }
                .sorted { $0.range.lowerBound < $1.range.lowerBound }
        }

        /// Returns the inlined functions at an address, innermost first.
        mutating func next(at address: UInt64) -> [Inline] {
            while position < ranges.count, ranges[position].range.lowerBound <= address {
                // An address has at most one inlined call of each depth. More calls are a mistake in the file, and would
                // make this search quadratic.
                let depth = inlines[ranges[position].inline].depth
                activeRanges.removeAll { inlines[$0.inline].depth == depth }
                if depth < SymbolTable.Limits.calls { activeRanges.append(ranges[position]) }
                position += 1
            }
            activeRanges.removeAll { $0.range.upperBound <= address }
            return Set(activeRanges.map(\.inline)).sorted().map { inlines[$0] }.sorted { $0.depth > $1.depth }
        }
    }

    private mutating func calls(
        inlined inlines: [Inline], function name: String, line: Int, file: Int
    ) -> [SymbolicatedFrame] {
        var calls: [SymbolicatedFrame] = []
        var location = (line: line, file: file)
        for inline in inlines {
            if let inlined = names.name(of: origins[inline.origin] ?? "") {
                calls.append(
                    SymbolicatedFrame(function: inlined, file: files[location.file], line: location.line))
            }
            location = (inline.callLine, inline.callFile)
        }
        return calls + [SymbolicatedFrame(function: name, file: files[location.file], line: location.line)]
    }

    private static func decimal(_ words: [Substring], _ index: Int) -> Int? {
        index < words.count ? Int(words[index]) : nil
    }

    private static func hexadecimal(_ word: Substring?) -> UInt64? { word.flatMap { UInt64($0, radix: 16) } }

    private static func range(_ start: UInt64, _ size: UInt64) -> Range<UInt64>? {
        let (end, isTooLarge) = start.addingReportingOverflow(size)
        return size == 0 || isTooLarge ? nil : start..<end
    }

    /// Returns the rest of a line after a number of words. The rest stays whole, because names contain spaces.
    private static func text(of line: String, afterWords wordCount: Int) -> String {
        let parts = line.split(separator: " ", maxSplits: wordCount, omittingEmptySubsequences: true)
        return parts.count > wordCount ? String(parts[wordCount]) : ""
    }

    private static func fileName(of path: String) -> String {
        path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? path
    }
}
