/// A pattern with `*` for any text and `?` for any one character, compared with whole texts. Upper and lower case differ.
///
/// A text is searched once from its start to its end, whatever the pattern, so that no pattern can make grouping
/// slow. The pieces between two asterisks are found one after another by the algorithm Shift-And, which keeps one bit for each
/// character of a piece.
struct Glob: Hashable, Sendable {
    enum Invalid: Error, Hashable {
        case empty
        case tooLong(bytes: Int)
        case pieceTooLong(characters: Int)
    }

    /// Maximum bytes of a pattern, the same as for a class or for an element of a stack.
    static let maxBytes = 512
    /// Maximum number of characters between two asterisks: the bits of a machine word.
    static let maxPieceCount = UInt64.bitWidth

    /// Value for `?` in a piece. It is no code point.
    private static let anyCharacter = UInt32.max

    let text: String
    /// The code points before the first asterisk; those of the whole pattern if it has none.
    private let first: [UInt32]
    private let searches: [Search]
    /// The code points after the last asterisk; `nil` for a pattern without asterisks.
    private let last: [UInt32]?

    init(_ text: String) throws(Invalid) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maxBytes else { throw .tooLong(bytes: text.utf8.count) }
        self.text = text
        var pieces: [[UInt32]] = [[]]
        for character in text.unicodeScalars {
            if character == "*" {
                pieces.append([])
            } else {
                pieces[pieces.count - 1].append(character == "?" ? Self.anyCharacter : character.value)
            }
        }
        first = pieces[0]
        last = pieces.count > 1 ? pieces[pieces.count - 1] : nil
        let middle = pieces.dropFirst().dropLast().filter { !$0.isEmpty }
        if let long = middle.first(where: { $0.count > Self.maxPieceCount }) {
            throw .pieceTooLong(characters: long.count)
        }
        searches = middle.map { Search($0) }
    }

    /// The characters of a text, as ``matches(_:steps:)`` reads them.
    static func characters(of text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    func matches(_ characters: [UInt32]) -> Bool {
        var steps = 0
        return matches(characters, steps: &steps)
    }

    /// - Parameter steps: is increased by the number of characters that were compared: at most the length of the text.
    func matches(_ characters: [UInt32], steps: inout Int) -> Bool {
        guard let last else {
            return characters.count == first.count && Self.equals(first, characters[...], steps: &steps)
        }
        guard characters.count >= first.count + last.count,
            Self.equals(first, characters.prefix(first.count), steps: &steps),
            Self.equals(last, characters.suffix(last.count), steps: &steps)
        else { return false }
        var rest = characters[first.count..<characters.count - last.count]
        for search in searches {
            guard let end = search.end(in: rest, steps: &steps) else { return false }
            rest = rest[end...]
        }
        return true
    }

    private static func equals(
        _ piece: [UInt32], _ characters: ArraySlice<UInt32>, steps: inout Int
    ) -> Bool {
        for (expected, character) in zip(piece, characters) {
            steps += 1
            if expected != character, expected != anyCharacter { return false }
        }
        return true
    }

    /// The search for the first place of a piece.
    private struct Search: Hashable, Sendable {
        private let count: Int
        /// The places of each character in the piece, and those of `?`, where every character matches. Bit 0 is set for the first
        /// place. The first element is for all characters that the piece does not contain.
        private let masks: [UInt64]
        /// The index in ``masks`` of each ASCII character. A list is read much faster than a dictionary.
        private let asciiIndices: [UInt8]
        /// The index in ``masks`` of other characters.
        private let otherIndices: [UInt32: UInt8]

        init(_ piece: [UInt32]) {
            count = piece.count
            var masks: [UInt32: UInt64] = [:]
            var anyMask: UInt64 = 0
            for (index, character) in piece.enumerated() {
                if character == Glob.anyCharacter {
                    anyMask |= 1 << UInt64(index)
                } else {
                    masks[character, default: 0] |= 1 << UInt64(index)
                }
            }
            var list = [anyMask]
            var asciiIndices = [UInt8](repeating: 0, count: 128)
            var otherIndices: [UInt32: UInt8] = [:]
            for (character, mask) in masks {
                if character < 128 {
                    asciiIndices[Int(character)] = UInt8(list.count)
                } else {
                    otherIndices[character] = UInt8(list.count)
                }
                list.append(mask | anyMask)
            }
            (self.masks, self.asciiIndices, self.otherIndices) = (list, asciiIndices, otherIndices)
        }

        /// Returns the index after the first occurrence of the piece; `nil` if the text does not contain the piece.
        func end(in characters: ArraySlice<UInt32>, steps: inout Int) -> Int? {
            let found: UInt64 = 1 << UInt64(count - 1)
            // Bit n is set if the n + 1 characters up to here are the first ones of the piece.
            var state: UInt64 = 0
            for index in characters.indices {
                steps += 1
                let character = characters[index]
                let mask =
                    character < 128 ? asciiIndices[Int(character)] : otherIndices[character, default: 0]
                state = (state << 1 | 1) & masks[Int(mask)]
                if state & found != 0 { return index + 1 }
            }
            return nil
        }
    }
}
