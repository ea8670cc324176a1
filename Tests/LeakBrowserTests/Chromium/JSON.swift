import Foundation

/// A value of JSON, as the DevTools protocol carries it.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    /// - Throws: `DecodingError` if the bytes are not JSON.
    init(parsing bytes: Data) throws {
        self = try JSONDecoder().decode(JSON.self, from: bytes)
    }

    var bytes: Data {
        get throws { try JSONEncoder().encode(self) }
    }

    /// Returns a member of an object; `null` if there is no such member.
    subscript(_ name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    var int: Int? { number.map { Int($0) } }

    var isTrue: Bool { self == .bool(true) }

    /// The elements of a list; empty for any other value.
    var elements: [JSON] {
        if case .list(let elements) = self { elements } else { [] }
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let elements = try? value.decode([JSON].self) {
            self = .list(elements)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        // The protocol rejects `1.0` in place of a whole number.
        case .number(let number) where number == number.rounded() && abs(number) < 1e15:
            try value.encode(Int(number))
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .list(let elements): try value.encode(elements)
        case .object(let members): try value.encode(members)
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(Dictionary(members) { $1 }) }
    init(arrayLiteral elements: JSON...) { self = .list(elements) }

    init(_ text: String) { self = .text(text) }
    init(_ number: Int) { self = .number(Double(number)) }
    init(_ bool: Bool) { self = .bool(bool) }
}
