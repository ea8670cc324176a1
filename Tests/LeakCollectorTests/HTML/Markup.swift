/// Parser of a page. It works like the parser of a browser, and rejects markup that our pages must never contain.
struct Markup {
    struct Mistake: Error, CustomStringConvertible {
        var description: String
    }

    /// Names of elements and attributes in order. Text from outside must never change them.
    private(set) var shape: [String] = []
    /// Text and attribute values, with entities resolved.
    private(set) var texts: [String] = []
    private(set) var classes: Set<String> = []
    private(set) var links: [String] = []

    private static let voidElements: Set = ["meta", "link", "input", "path", "rect", "br", "hr"]
    private static let elements: Set = [
        "html", "head", "meta", "title", "link", "body", "a", "header", "nav", "main", "footer", "form",
        "select",
        "option", "input", "button", "label", "h1", "h2", "h3", "p", "pre", "code", "bdi", "small", "strong",
        "em", "b",
        "span", "div", "section", "ol", "ul", "li", "dl", "dt", "dd", "table", "caption", "thead",
        "tbody", "tr",
        "th", "td", "time", "details", "summary", "svg", "path", "rect", "g", "script",
        "textarea", "datalist",
    ]
    private static let attributes: Set = [
        "lang", "charset", "name", "content", "rel", "href", "type", "class", "id", "method", "action",
        "formaction",
        "value",
        "placeholder", "selected", "required", "autofocus", "open", "autocomplete", "spellcheck", "for",
        "scope",
        "title", "dir", "datetime",
        "role", "tabindex", "d", "x", "y", "width", "height", "rx", "viewbox", "preserveaspectratio",
        "aria-label",
        "src", "defer", "data-live", "list", "min", "max", "maxlength", "rows", "size", "novalidate",
        "readonly",
        "aria-current", "aria-sort", "aria-hidden", "aria-invalid", "aria-describedby",
    ]

    init(_ bytes: [UInt8]) throws(Mistake) {
        let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        var open: [String] = []
        var index = 0
        var text = ""
        func rest() -> String {
            String(String.UnicodeScalarView(scalars[index..<min(scalars.count, index + 60)]))
        }
        while index < scalars.count {
            guard scalars[index] == "<" else {
                text.unicodeScalars.append(scalars[index])
                index += 1
                continue
            }
            if !text.isEmpty { texts.append(try Self.resolve(text)) }
            text = ""
            guard let end = scalars[index...].firstIndex(of: ">") else {
                throw Mistake(description: "no > in \(rest())")
            }
            let tag = String(String.UnicodeScalarView(scalars[(index + 1)..<end]))
            if tag.lowercased() == "!doctype html" {
                guard index == 0 else { throw Mistake(description: "doctype after the start") }
            } else if tag.hasPrefix("/") {
                guard open.popLast() == String(tag.dropFirst()) else {
                    throw Mistake(
                        description: "</\(tag.dropFirst())> closes \(open.last ?? "nothing") at \(rest())")
                }
            } else {
                let name = try add(tag)
                if name == "script" {
                    guard shape.last == "script.defer",
                        scalars[end...].starts(with: "></script>".unicodeScalars)
                    else {
                        throw Mistake(description: "a script with content of its own: <\(tag)>")
                    }
                }
                if !Self.voidElements.contains(name) { open.append(name) }
            }
            index = end + 1
        }
        guard open.isEmpty else { throw Mistake(description: "elements without an end: \(open)") }
    }

    private mutating func add(_ tag: String) throws(Mistake) -> String {
        var rest = Substring(tag.hasSuffix("/") ? String(tag.dropLast()) : tag)
        let name = String(rest.prefix { $0.isLetter || $0.isNumber })
        guard Self.elements.contains(name) else { throw Mistake(description: "unexpected element <\(tag)>") }
        rest = rest.dropFirst(name.count)
        shape.append(name)
        var seen: Set<String> = []
        while true {
            rest = rest.drop { $0 == " " || $0 == "\n" }
            if rest.isEmpty { return name }
            let attribute = String(rest.prefix { $0.isLetter || $0 == "-" }).lowercased()
            guard Self.attributes.contains(attribute), seen.insert(attribute).inserted else {
                throw Mistake(description: "unexpected or repeated attribute in <\(tag)>")
            }
            shape.append("\(name).\(attribute)")
            rest = rest.dropFirst(attribute.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
                throw Mistake(description: "unquoted value in <\(tag)>")
            }
            let value = try Self.resolve(String(rest[rest.index(after: rest.startIndex)..<end]))
            texts.append(value)
            if attribute == "class" { classes.formUnion(value.split(separator: " ").map(String.init)) }
            if ["href", "action", "formaction", "src"].contains(attribute) { links.append(value) }
            rest = rest[rest.index(after: end)...]
        }
    }

    private static func resolve(_ text: String) throws(Mistake) -> String {
        var result = ""
        var rest = Substring(text)
        while let mark = rest.unicodeScalars.firstIndex(of: "&") {
            result += rest[..<mark]
            guard let end = rest[mark...].unicodeScalars.firstIndex(of: ";") else {
                throw Mistake(description: "bare & in \(text)")
            }
            switch rest[mark...end] {
            case "&amp;": result += "&"
            case "&lt;": result += "<"
            case "&gt;": result += ">"
            case "&quot;": result += "\""
            case "&#39;": result += "'"
            default: throw Mistake(description: "unexpected entity \(rest[mark...end])")
            }
            rest = rest[rest.unicodeScalars.index(after: end)...]
        }
        return result + rest
    }
}
