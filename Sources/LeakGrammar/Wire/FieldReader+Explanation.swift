internal import LeakMessage

// Reads the field `why` of a report: the references that keep the leaked object.

extension FieldReader {
    /// Reads the next object as an explanation. Records the first ``problem``.
    mutating func readExplanation() throws(JSONError) -> RetainExplanation? {
        guard try expect(.object, field: "why", description: "a JSON object") else { return nil }
        var explanation = RetainExplanation()
        var path = PathFields()
        var (bytes, objects, isAtLeast): (Int?, Int?, Bool) = (nil, nil, false)
        guard try scanner.enterObject() else { return explanation }
        repeat {
            let name = try scanner.name()
            if try readPathField(name, of: "why", into: &path) { continue }
            if scanner.matches(name, "confidence") {
                if let confidence: RetainExplanation.Confidence = try lenientChoice("why.confidence") {
                    explanation.confidence = confidence
                }
            } else if scanner.matches(name, "further_cycles") {
                explanation.furtherCycles = try readFurtherCycles()
            } else if scanner.matches(name, "unexplained") {
                explanation.unexplainedReferences =
                    try amount("why.unexplained", atMost: WireLimits.maxExplanationNumber) ?? 0
            } else if scanner.matches(name, "holder") {
                explanation.holder = try lenientChoice("why.holder").map {
                    RetainExplanation.Holder(kind: $0)
                }
            } else if scanner.matches(name, "closures") {
                explanation.closureSites = try readClosures()
            } else if scanner.matches(name, "global") {
                let slice = try string("why.global", atMost: WireLimits.elementBytes)
                if slice.isPresent { explanation.global = ImageOffset(element: scanner.text(of: slice)) }
            } else if scanner.matches(name, "bytes") {
                bytes = try amount("why.bytes", atMost: WireLimits.retainedBytes)
            } else if scanner.matches(name, "objects") {
                objects = try amount("why.objects", atMost: WireLimits.maxExplanationNumber)
            } else if scanner.matches(name, "at_least") {
                isAtLeast = try readFlag("why.at_least")
            } else {
                try scanner.skip()
            }
        } while try scanner.hasAnotherElement(in: .object)
        explanation.path = path.path
        if let bytes { explanation.cost = .init(bytes: bytes, objects: objects ?? 1, isAtLeast: isAtLeast) }
        // An explanation without a path states no reason.
        if explanation.path == nil { explanation.confidence = .none }
        return explanation
    }

    /// Reads the output of ``RetainPath/json()``; `nil` for any other text.
    static func path(_ json: [UInt8]) -> RetainPath? {
        try? JSONScanner.scan(json, in: 0..<json.count) { (scanner) throws(JSONError) in
            var reader = FieldReader(scanner)
            var fields = PathFields()
            guard try reader.scanner.enterObject() else { return nil }
            repeat {
                let name = try reader.scanner.name()
                if try !reader.readPathField(name, of: "path", into: &fields) { try reader.scanner.skip() }
            } while try reader.scanner.hasAnotherElement(in: .object)
            return reader.problem == nil ? fields.path : nil
        }
    }

    private struct PathFields {
        var references: [RetainReference]?
        var target = ""
        var isCycle = false
        var length: Int?

        var path: RetainPath? {
            guard let references, !references.isEmpty else { return nil }
            return RetainPath(
                references: references, target: target, isCycle: isCycle,
                fullLength: length.flatMap { $0 > references.count ? $0 : nil })
        }
    }

    /// Reads the value of a field of a path.
    ///
    /// - Returns: `false`, without reading the value, for a field that paths do not have.
    private mutating func readPathField(
        _ name: JSONSlice, of owner: StaticString, into fields: inout PathFields
    ) throws(JSONError) -> Bool {
        if scanner.matches(name, "path") {
            fields.references = try readReferences("\(owner).path")
        } else if scanner.matches(name, "target") {
            let slice = try nameText("\(owner).target", atMost: WireLimits.classBytes)
            fields.target = slice.isPresent ? scanner.text(of: slice) : ""
        } else if scanner.matches(name, "is_cycle") {
            fields.isCycle = try readFlag("\(owner).is_cycle")
        } else if scanner.matches(name, "length") {
            fields.length = try amount("\(owner).length", atMost: WireLimits.maxExplanationNumber)
        } else {
            return false
        }
        return true
    }

    private mutating func readFurtherCycles() throws(JSONError) -> [RetainPath] {
        var cycles: [RetainPath] = []
        guard try expect(.array, field: "why.further_cycles", description: "an array") else { return [] }
        let start = scanner.offset
        guard try scanner.enterArray() else { return [] }
        var count = 0
        repeat {
            count += 1
            if count == WireLimits.furtherCyclesCount + 1 {
                recordProblem(
                    "why.further_cycles has more than \(WireLimits.furtherCyclesCount) entries", at: start)
            }
            try rejectNull("why.further_cycles[\(count - 1)]", "a JSON object")
            var fields = PathFields()
            if try expect(.object, field: "why.further_cycles[\(count - 1)]", description: "a JSON object"),
                try scanner.enterObject()
            {
                repeat {
                    let name = try scanner.name()
                    if try !readPathField(name, of: "why.further_cycles", into: &fields) {
                        try scanner.skip()
                    }
                } while try scanner.hasAnotherElement(in: .object)
            }
            if let path = fields.path, count <= WireLimits.furtherCyclesCount { cycles.append(path) }
        } while try scanner.hasAnotherElement(in: .array)
        return cycles
    }

    private mutating func readReferences(
        _ field: @autoclosure () -> String
    ) throws(JSONError) -> [RetainReference]? {
        guard try expect(.array, field: field(), description: "an array") else { return nil }
        let start = scanner.offset
        var references: [RetainReference] = []
        guard try scanner.enterArray() else { return references }
        var count = 0
        repeat {
            count += 1
            if count == WireLimits.pathReferenceCount + 1 {
                recordProblem("\(field()) has more than \(WireLimits.pathReferenceCount) entries", at: start)
            }
            let reference = try readReference("\(field())[\(count - 1)]")
            if let reference, count <= WireLimits.pathReferenceCount { references.append(reference) }
        } while try scanner.hasAnotherElement(in: .array)
        return references
    }

    private mutating func readReference(
        _ field: @autoclosure () -> String
    ) throws(JSONError) -> RetainReference? {
        try rejectNull(field(), "a JSON object")
        let offset = scanner.offset
        guard try expect(.object, field: field(), description: "a JSON object") else { return nil }
        var reference = RetainReference(owner: "", field: "", kind: .property)
        if try scanner.enterObject() {
            repeat {
                let name = try scanner.name()
                if scanner.matches(name, "owner") {
                    let slice = try nameText("\(field()).owner", atMost: WireLimits.classBytes)
                    reference.owner = slice.isPresent ? scanner.text(of: slice) : ""
                } else if scanner.matches(name, "field") {
                    let slice = try nameText("\(field()).field", atMost: WireLimits.elementBytes)
                    reference.field = slice.isPresent ? scanner.text(of: slice) : ""
                } else if scanner.matches(name, "kind") {
                    reference.kind = try lenientChoice("\(field()).kind") ?? .opaque
                } else if scanner.matches(name, "closure") {
                    reference.isClosure = try readFlag("\(field()).closure")
                } else if scanner.matches(name, "suspected") {
                    reference.isSuspected = try readFlag("\(field()).suspected")
                } else {
                    try scanner.skip()
                }
            } while try scanner.hasAnotherElement(in: .object)
        }
        if reference.owner.isEmpty { recordProblem("\(field()) has no owner", at: offset) }
        return reference
    }

    /// Reads the raw value of an enumeration case. Returns `nil` for an unknown raw value, which a later version may have added. Such
    /// a value is not a problem.
    private mutating func lenientChoice<Choice: RawRepresentable<String>>(
        _ field: @autoclosure () -> String
    ) throws(JSONError) -> Choice? {
        let slice = try string(field(), atMost: WireLimits.elementBytes)
        return slice.isPresent ? Choice(rawValue: scanner.text(of: slice)) : nil
    }

    /// Records a problem if the next element of an array is `null`. Only the value of a field may be `null`.
    private mutating func rejectNull(
        _ field: @autoclosure () -> String, _ needed: StaticString
    ) throws(JSONError) {
        if try scanner.kind() == .null {
            recordProblem("\(field()) is null, must be \(needed)", at: scanner.offset)
        }
    }

    private mutating func readFlag(_ field: @autoclosure () -> String) throws(JSONError) -> Bool {
        guard try expect(.boolean, field: field(), description: "true or false") else { return false }
        return try scanner.boolean()
    }

    private mutating func readClosures() throws(JSONError) -> [ImageOffset] {
        guard try expect(.array, field: "why.closures", description: "an array of strings") else { return [] }
        let start = scanner.offset
        var sites: [ImageOffset] = []
        guard try scanner.enterArray() else { return [] }
        var count = 0
        repeat {
            try rejectNull("why.closures[\(count)]", "a string")
            let slice = try string("why.closures[\(count)]", atMost: WireLimits.elementBytes)
            count += 1
            if count == WireLimits.pathReferenceCount + 1 {
                recordProblem(
                    "why.closures has more than \(WireLimits.pathReferenceCount) entries", at: start)
            }
            guard slice.isPresent, count <= WireLimits.pathReferenceCount else { continue }
            if let site = ImageOffset(element: scanner.text(of: slice)) { sites.append(site) }
        } while try scanner.hasAnotherElement(in: .array)
        return sites
    }
}

extension RetainPath {
    /// Reads the output of ``json()``; `nil` for any other text.
    package init?(json: [UInt8]) {
        guard let path = FieldReader.path(json) else { return nil }
        self = path
    }
}
