/// Versions of one system, such as iOS from 16.0 on and before 17.0.
public struct SystemRange: Hashable, Sendable, CustomStringConvertible {
    /// The name of the system, as devices send it: `iOS`, `iPadOS`, `tvOS`.
    public let name: String
    /// The first version of the range; `nil` if the range has no first version.
    public let from: SystemVersion?
    /// The first version after the range; `nil` if the range has no end.
    public let before: SystemVersion?

    public init(name: String, from: SystemVersion? = nil, before: SystemVersion? = nil) {
        self.name = name
        self.from = from
        self.before = before
    }

    /// `iOS from 16.0, before 17.0`
    public var description: String {
        let bounds = [from.map { "from \($0)" }, before.map { "before \($0)" }].compactMap(\.self)
        return bounds.isEmpty ? name : "\(name) \(bounds.joined(separator: ", "))"
    }

    /// Returns `true` if the range contains a report's system, such as `iOS 16.4.1`. A system whose version is not a number is
    /// only in ranges without bounds.
    package func contains(_ system: String) -> Bool {
        guard ByteText(system) != ByteText(name) else { return from == nil && before == nil }
        guard system.utf8.starts(with: "\(name) ".utf8) else { return false }
        if from == nil && before == nil { return true }
        guard let version = SystemVersion(String(system.dropFirst(name.count + 1))) else { return false }
        return from.map { $0 <= version } ?? true && before.map { version < $0 } ?? true
    }
}

/// The version of a system: numbers with points between them. `11` is `11.0`.
public struct SystemVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let description: String
    /// The numbers without zeros at the end.
    private let numbers: [Int]

    /// - Returns: `nil` for a text that is not 1 to 4 numbers of at most 6 digits, with points between them.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...6).contains(part.count),
                part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int(Substring(part))
            else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
        description = text
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    public static func == (one: Self, other: Self) -> Bool { one.numbers == other.numbers }

    public func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}
