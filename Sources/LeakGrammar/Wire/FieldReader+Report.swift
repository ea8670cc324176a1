internal import LeakMessage

// Reads one report: every field of the wire format, with its limit.

extension FieldReader {
    /// The result of reading one object.
    struct ReportFields {
        var slices = ReportSlices()
        /// The first problem of a field other than `why`; `nil` if there is none.
        var problem: (reason: String, offset: Int)?
        /// The first problem of `why`; `nil` if there is none. An explanation with a problem is left out.
        var whyProblem: String?
        /// `true` if the object has a field that can identify a leak, such as `class`.
        var identifiesLeak = false
        /// `true` if the object has `app` or a field that only batches have.
        var describesBatch = false
        /// `true` if the object has a field `reports`. Reading stopped at that field.
        var isBatch = false
    }

    /// Reads the next object as a report.
    ///
    /// - Parameter mayBeBatch: if `true`, reading stops at a field `reports`, because an object with this field is a batch.
    mutating func readReport(mayBeBatch: Bool = false) throws(JSONError) -> ReportFields {
        var fields = ReportFields()
        clearProblem()
        let isObject = try scanner.kind() == .object
        let start = scanner.offset
        guard isObject else {
            let kind = try scanner.kind()
            try scanner.skip()
            fields.problem = ("report is \(kind.rawValue), must be a JSON object", start)
            return fields
        }
        if try scanner.enterObject() {
            repeat {
                let field = scanner.field(try scanner.name())
                guard let field else {
                    try scanner.skip()
                    continue
                }
                if field.belongsToBatch {
                    fields.describesBatch = true
                    if field == .reports && mayBeBatch {
                        fields.isBatch = true
                        return fields
                    }
                    try scanner.skip()
                    continue
                }
                if field.identifiesLeak { fields.identifiesLeak = true }
                if field == .app { fields.describesBatch = true }
                if field == .why {
                    try readExplanation(into: &fields)
                } else {
                    try read(field, into: &fields.slices)
                }
            } while try scanner.hasAnotherElement(in: .object)
        }
        let slices = fields.slices
        fields.slices.raw = JSONSlice(start..<scanner.offset)
        let isIdentified =
            !slices.className.isEmpty || !slices.message.isEmpty || !slices.errorText.isEmpty
            || !slices.errorDomain.isEmpty || slices.fingerprint.isPresent || hasStrings(slices.cycle)
        if !isIdentified {
            recordProblem(
                "class is missing; add class, message, error with a domain, cycle or fingerprint", at: start)
        }
        fields.problem = problem
        return fields
    }

    /// Reads `why`. A problem in it rejects the explanation, but not the report.
    private mutating func readExplanation(into fields: inout ReportFields) throws(JSONError) {
        let earlierProblem = problem
        clearProblem()
        let start = scanner.offset
        let hasExplanation = try readExplanation() != nil
        fields.slices.why = hasExplanation && problem == nil ? JSONSlice(start..<scanner.offset) : .absent
        fields.whyProblem = problem?.reason
        clearProblem()
        if let earlierProblem { recordProblem(earlierProblem.reason, at: earlierProblem.offset) }
    }

    private mutating func read(_ field: WireField, into report: inout ReportSlices) throws(JSONError) {
        switch field {
        case .type: report.event = try choice("type", "leak or freed")
        case .kind: report.kind = try choice("kind", "view_controller, view, object or cycle")
        case .id: report.id = try readIdentifier()
        case .at: report.at = try time("at")
        case .className: report.className = try readClassName()
        case .stack:
            report.stack = try strings(
                "stack", countLimit: WireLimits.stackCount, elementBytes: WireLimits.elementBytes)
        case .children:
            report.children = try strings(
                "children", countLimit: WireLimits.childrenCount, elementBytes: WireLimits.elementBytes)
        case .cycle:
            report.cycle = try strings(
                "cycle", countLimit: WireLimits.cycleCount, elementBytes: WireLimits.elementBytes)
        case .reason: report.reason = try string("reason", atMost: WireLimits.reasonBytes)
        case .waited:
            report.waitedMilliseconds = try amount("waited_ms", atMost: WireLimits.durationMilliseconds)
        case .alive: report.alive = try amount("alive", atMost: WireLimits.aliveCount)
        case .lived:
            report.livedMilliseconds = try amount("lived_ms", atMost: WireLimits.durationMilliseconds)
        case .count:
            let limit = WireLimits.mergedSightingCount
            report.count = try integer("count", in: 1...limit, "an integer from 1 to \(limit)") ?? 1
        case .message: report.message = try string("message", atMost: WireLimits.messageBytes)
        case .error: try readError(into: &report)
        case .keys: report.keys = try readKeys()
        case .log:
            report.log = try strings(
                "log", countLimit: WireLimits.logLineCount, elementBytes: WireLimits.logLineBytes)
        case .fingerprint: report.fingerprint = try readFingerprint()
        case .app: try readApp(into: &report.origin)
        case .device: try readDevice(into: &report.origin)
        case .install: report.origin.install = try nameText("install", atMost: WireLimits.installBytes)
        case .user: report.origin.user = try nameText("user", atMost: WireLimits.userBytes)
        case .why, .sessions, .checks, .dropped, .explanations, .reports, .sentAt: try scanner.skip()
        }
    }

    /// Reads the raw value of an enumeration case. Records a problem for any other value.
    mutating func choice<Choice: RawRepresentable<String>>(
        _ field: StaticString, _ words: StaticString
    ) throws(JSONError) -> Choice? {
        guard try expect(.string, field: "\(field)", description: "\(words)") else { return nil }
        let offset = scanner.offset
        let slice = try scanner.string()
        // All choices are so short that their texts need no allocation.
        if let choice = Choice(rawValue: scanner.text(of: slice)) { return choice }
        recordProblem("\(field) is not \(words)", at: offset)
        return nil
    }

    /// Reads a UUID: 8-4-4-4-12 hexadecimal digits.
    private mutating func readIdentifier() throws(JSONError) -> JSONSlice {
        guard try expect(.string, field: "id", description: "a UUID") else { return .absent }
        let offset = scanner.offset
        let slice = try scanner.string()
        let isUUID = unsafe scanner.withBytes(of: slice) { unsafe UUIDText.isUUID($0) }
        if !isUUID { recordProblem("id is not a UUID", at: offset) }
        return slice
    }

    private mutating func readClassName() throws(JSONError) -> JSONSlice {
        let offset = scanner.offset
        let slice = try nameText("class", atMost: WireLimits.classBytes)
        if slice.isPresent, slice.isEmpty {
            recordProblem("class is empty, must have at least 1 byte", at: offset)
        }
        return slice
    }

    private mutating func readFingerprint() throws(JSONError) -> JSONSlice {
        let offset = scanner.offset
        let slice = try strings(
            "fingerprint", countLimit: WireLimits.fingerprintCount, elementBytes: WireLimits.fingerprintBytes)
        if slice.isPresent, !hasStrings(slice) {
            recordProblem("fingerprint has 0 entries, must have at least 1", at: offset)
        }
        return slice
    }

    /// Returns `true` if an array of strings is not empty. An empty array contains no quotation mark.
    private func hasStrings(_ slice: JSONSlice) -> Bool {
        guard slice.isPresent else { return false }
        return unsafe scanner.withBytes(of: slice) { unsafe $0.contains(UInt8(ascii: "\"")) }
    }

    private mutating func readError(into report: inout ReportSlices) throws(JSONError) {
        (report.errorText, report.errorDomain, report.errorCode) = (.absent, .absent, 0)
        report.error = .absent
        guard try expect(.object, field: "error", description: "a JSON object") else { return }
        let start = scanner.offset
        if try scanner.enterObject() {
            repeat {
                let name = try scanner.name()
                if scanner.matches(name, "domain") {
                    report.errorDomain = try string("error.domain", atMost: WireLimits.errorDomainBytes)
                } else if scanner.matches(name, "code") {
                    report.errorCode = try integer("error.code", in: Int.min...Int.max, "an integer") ?? 0
                } else if scanner.matches(name, "userInfo") {
                    report.errorText = try readUserInfo()
                } else {
                    try scanner.skip()
                }
            } while try scanner.hasAnotherElement(in: .object)
        }
        report.error = JSONSlice(start..<scanner.offset)
    }

    /// Reads the object `userInfo`.
    ///
    /// - Returns: the error's description, the string under the key `NSLocalizedDescription`.
    private mutating func readUserInfo() throws(JSONError) -> JSONSlice {
        guard try expect(.object, field: "error.userInfo", description: "a JSON object") else {
            return .absent
        }
        let start = scanner.offset
        var description = JSONSlice.absent
        var count = 0
        if try scanner.enterObject() {
            repeat {
                let name = try scanner.name()
                if try scanner.kind() == .string, scanner.matches(name, "NSLocalizedDescription") {
                    description = try scanner.string()
                } else {
                    try scanner.skip()
                }
                count += 1
            } while try scanner.hasAnotherElement(in: .object)
        }
        if count > WireLimits.userInfoCount {
            recordProblem(
                "error.userInfo has \(count) entries, the limit is \(WireLimits.userInfoCount)", at: start)
        }
        let byteCount = scanner.offset - start
        if byteCount > WireLimits.userInfoBytes {
            recordProblem(
                "error.userInfo is \(byteCount) bytes, the limit is \(WireLimits.userInfoBytes)", at: start)
        }
        return description
    }

    private mutating func readKeys() throws(JSONError) -> JSONSlice {
        guard try expect(.object, field: "keys", description: "a JSON object") else { return .absent }
        let start = scanner.offset
        var count = 0
        if try scanner.enterObject() {
            repeat {
                let nameOffset = scanner.offset
                let name = try scanner.name()
                let byteCount = textByteCount(name)
                if byteCount > WireLimits.keyBytes {
                    recordProblem(
                        "a name in keys is \(byteCount) bytes, the limit is \(WireLimits.keyBytes)",
                        at: nameOffset
                    )
                }
                try readKeyValue(of: name)
                count += 1
            } while try scanner.hasAnotherElement(in: .object)
        }
        if count > WireLimits.keysCount {
            recordProblem("keys has \(count) entries, the limit is \(WireLimits.keysCount)", at: start)
        }
        return JSONSlice(start..<scanner.offset)
    }

    private mutating func readKeyValue(of name: JSONSlice) throws(JSONError) {
        let kind = try scanner.kind()
        let offset = scanner.offset
        switch kind {
        case .string:
            let byteCount = textByteCount(try scanner.string())
            guard byteCount > WireLimits.keyValueBytes else { return }
            let text = scanner.text(of: name)
            recordProblem(
                "keys.\(text) is \(byteCount) bytes, the limit is \(WireLimits.keyValueBytes)", at: offset)
        case .array, .object:
            let text = scanner.text(of: name)
            recordProblem(
                "keys.\(text) is \(kind.rawValue), must be a string, a number or a boolean", at: offset)
            try scanner.skip()
        case .number, .boolean, .null: try scanner.skip()
        }
    }

    mutating func readApp(into origin: inout OriginSlices) throws(JSONError) {
        guard try expect(.object, field: "app", description: "a JSON object") else { return }
        guard try scanner.enterObject() else { return }
        repeat {
            let name = try scanner.name()
            if scanner.matches(name, "id") {
                origin.appID = try nameText("app.id", atMost: WireLimits.appIDBytes)
            } else if scanner.matches(name, "module") {
                origin.module = try nameText("app.module", atMost: WireLimits.moduleBytes)
            } else if scanner.matches(name, "environment") {
                origin.environment = try nameText("app.environment", atMost: WireLimits.environmentBytes)
            } else if scanner.matches(name, "version") {
                origin.version = try nameText("app.version", atMost: WireLimits.versionBytes)
            } else if scanner.matches(name, "build") {
                origin.build = try nameText("app.build", atMost: WireLimits.versionBytes)
            } else {
                try scanner.skip()
            }
        } while try scanner.hasAnotherElement(in: .object)
    }

    mutating func readDevice(into origin: inout OriginSlices) throws(JSONError) {
        guard try expect(.object, field: "device", description: "a JSON object") else { return }
        guard try scanner.enterObject() else { return }
        repeat {
            let name = try scanner.name()
            if scanner.matches(name, "os") {
                origin.os = try nameText("device.os", atMost: WireLimits.deviceBytes)
            } else if scanner.matches(name, "os_version") {
                origin.osVersion = try nameText("device.os_version", atMost: WireLimits.deviceBytes)
            } else if scanner.matches(name, "model") {
                origin.model = try nameText("device.model", atMost: WireLimits.deviceBytes)
            } else {
                try scanner.skip()
            }
        } while try scanner.hasAnotherElement(in: .object)
    }
}
