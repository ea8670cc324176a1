/// Markup that is safe to send: literals are not changed, and every interpolated text is escaped.
///
///     let row: HTML = #"<td title="\#(name)">\#(name)</td>"#
///
/// A literal is a `StaticString`, so that no text from outside can be passed off as one. The escaping holds for
/// text and for attribute values in double or single quotes. Do not interpolate texts anywhere else.
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The markup in UTF-8.
    private(set) var bytes: [UInt8] = []

    init() {}

    init(stringLiteral literal: StaticString) {
        bytes.append(literal)
    }

    init(stringInterpolation: StringInterpolation) {
        bytes = stringInterpolation.bytes
    }

    /// Joins `parts`, with `separator` between them.
    init(_ parts: some Sequence<HTML>, separator: HTML = "") {
        var isFirst = true
        for part in parts {
            if !isFirst { bytes += separator.bytes }
            bytes += part.bytes
            isFirst = false
        }
    }

    var isEmpty: Bool { bytes.isEmpty }

    static func += (markup: inout HTML, more: HTML) {
        markup.bytes += more.bytes
    }

    /// Appends a literal and a number without making an ``HTML`` of them, for markup that occurs thousands of times on one
    /// page.
    mutating func append(_ literal: StaticString, _ number: Int) {
        bytes.append(literal)
        bytes += String(number).utf8
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) {
            bytes.append(literal)
        }

        mutating func appendInterpolation(_ text: some StringProtocol) {
            bytes.append(escaping: text)
        }

        mutating func appendInterpolation(_ number: some BinaryInteger) {
            bytes += String(number).utf8
        }

        mutating func appendInterpolation(_ markup: HTML?) {
            if let markup { bytes += markup.bytes }
        }

        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { bytes += part.bytes }
        }

        mutating func appendInterpolation(_ component: some Component) {
            bytes += component.html.bytes
        }
    }
}

/// A part of a page that can be rendered as HTML.
protocol Component {
    var html: HTML { get }
}

extension Component where Self: CustomStringConvertible {
    var html: HTML { "\(description)" }
}

extension [UInt8] {
    fileprivate mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}
