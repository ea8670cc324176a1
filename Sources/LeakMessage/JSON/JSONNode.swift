/// A JSON value as a tree, for texts whose frames may stand anywhere. Reports and batches are read by ``JSONScanner`` alone.
indirect enum JSONNode {
    struct Member {
        let name: String
        let value: JSONNode
    }

    case object([Member]), array([JSONNode])
    case string(String)
    /// `nil` for a number that is not whole or too large.
    case number(Int?)
    case boolean(Bool), null

    /// Frames of a MetricKit tree stand inside each other, two levels for each.
    private static let depthLimit = 512

    /// Reads the values of a text behind each other. A text that was cut has the values up to there.
    static func values(of text: Text) -> [JSONNode] {
        let bytes = Array(text)
        guard UTF8Validity.firstInvalidByte(in: bytes) == nil else { return [] }
        var values: [JSONNode] = []
        _ = try? JSONScanner.scan(bytes, depthLimit: depthLimit) { scanner throws(JSONError) in
            while true { try read(&scanner) { values.append($0) } }
        }
        return values
    }

    /// Hands the value to `use`, and so much of it as could be read before an error.
    private static func read(
        _ scanner: inout JSONScanner, use: (JSONNode) -> Void
    ) throws(JSONError) {
        switch try scanner.kind() {
        case .object:
            var members: [Member] = []
            defer { use(.object(members)) }
            guard try scanner.enterObject() else { return }
            repeat {
                let name = scanner.text(of: try scanner.name())
                try read(&scanner) { members.append(Member(name: name, value: $0)) }
            } while try scanner.another(in: .object)
        case .array:
            var elements: [JSONNode] = []
            defer { use(.array(elements)) }
            guard try scanner.enterArray() else { return }
            repeat { try read(&scanner) { elements.append($0) } } while try scanner.another(in: .array)
        case .string: use(.string(scanner.text(of: try scanner.string())))
        case .number: use(.number(try scanner.number().integer))
        case .boolean: use(.boolean(try scanner.boolean()))
        case .null:
            try scanner.null()
            use(.null)
        }
    }

    var members: [Member] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    var elements: [JSONNode] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    subscript(_ name: String) -> JSONNode? { members.first { $0.name == name }?.value }
}
