internal import LeakMessage

// Reads a batch. A value outside of reports that exceeds a limit rejects the whole batch, because it belongs to no single report.

extension FieldReader {
    /// Reads the next object as a batch. Stops after the first field with a ``problem``.
    mutating func readBatch(into document: inout WireDocument) throws(JSONError) {
        guard try scanner.enterObject() else { return }
        repeat {
            let field = scanner.field(try scanner.name())
            switch field {
            case .app: try readApp(into: &document.origin)
            case .device: try readDevice(into: &document.origin)
            case .install: document.origin.install = try nameText("install", atMost: WireLimits.installBytes)
            case .user: document.origin.user = try nameText("user", atMost: WireLimits.userBytes)
            case .sentAt: document.sentAt = try time("sent_at")
            case .sessions: try readSessions(into: &document)
            case .checks: try readChecks(into: &document)
            case .dropped: try readDropped(into: &document)
            case .explanations: try readExplanations(into: &document)
            case .reports:
                guard problem == nil else { return }
                if try expect(.array, field: "reports", description: "an array") {
                    try readReports(into: &document)
                }
            default: try scanner.skip()
            }
            guard problem == nil else { return }
        } while try scanner.hasAnotherElement(in: .object)
    }

    /// Reads an array of reports. Stops with a ``problem`` at the first report beyond the limit.
    mutating func readReports(into document: inout WireDocument) throws(JSONError) {
        guard try scanner.enterArray() else { return }
        repeat {
            guard document.reportCount < WireLimits.reportsCount else {
                recordProblem("reports has more than \(WireLimits.reportsCount) entries", at: scanner.offset)
                return
            }
            document.add(try readReport())
            clearProblem()
        } while try scanner.hasAnotherElement(in: .array)
    }

    /// Reads an array of objects of a batch.
    ///
    /// - Parameters:
    ///   - readField: reads the value of a known field. Its `path` names the field in messages.
    ///   - endElement: called after each object, with its path and the offset at which it begins. Adds the object, or returns a
    ///     problem with it as a whole.
    private mutating func readObjects(
        _ field: StaticString, atMost limit: Int,
        _ readField: (inout FieldReader, _ path: String, WireObjectField) throws(JSONError) -> Void,
        endElement: (_ path: String, _ offset: Int) -> (reason: String, offset: Int)?
    ) throws(JSONError) {
        guard try expect(.array, field: "\(field)", description: "an array") else { return }
        let start = scanner.offset
        guard try scanner.enterArray() else { return }
        var index = 0
        repeat {
            guard index < limit else {
                recordProblem("\(field) has more than \(limit) entries", at: start)
                return
            }
            let path = "\(field)[\(index)]"
            let offset = scanner.offset
            if try expect(.object, field: path, description: "a JSON object"), try scanner.enterObject() {
                repeat {
                    let name = scanner.text(of: try scanner.name())
                    if let field = WireObjectField(rawValue: name) {
                        try readField(&self, "\(path).\(name)", field)
                    } else {
                        try scanner.skip()
                    }
                } while try scanner.hasAnotherElement(in: .object)
            }
            if let problem = endElement(path, offset) { recordProblem(problem.reason, at: problem.offset) }
            guard problem == nil else { return }
            index += 1
        } while try scanner.hasAnotherElement(in: .array)
    }

    private mutating func readExplanations(into document: inout WireDocument) throws(JSONError) {
        guard try expect(.array, field: "explanations", description: "an array") else { return }
        let start = scanner.offset
        guard try scanner.enterArray() else { return }
        repeat {
            let index = document.explanations.count + document.rejectedExplanationCount
            guard index < WireLimits.explanationsCount else {
                recordProblem("explanations has more than \(WireLimits.explanationsCount) entries", at: start)
                return
            }
            var fields = try readReport()
            clearProblem()
            let hasExplanation = fields.slices.why.isPresent
            let problem =
                fields.problem?.reason ?? fields.whyProblem ?? (hasExplanation ? nil : "why is missing")
            if let problem {
                document.rejectExplanation("explanations[\(index)]: \(problem)")
            } else {
                fields.slices.index = index
                document.explanations.append(fields.slices)
            }
        } while try scanner.hasAnotherElement(in: .array)
    }

    private mutating func readSessions(into document: inout WireDocument) throws(JSONError) {
        var session = EndedSession(id: "", checks: 0, leaks: 0)
        var sessions: [EndedSession] = []
        try readObjects("sessions", atMost: WireLimits.sessionsCount) {
            (reader, path, field) throws(JSONError) in
            switch field {
            case .id:
                let slice = try reader.string(path, atMost: WireLimits.sessionIDBytes)
                session.id = reader.scanner.text(of: slice)
            case .startedAt: session.startedAt = try reader.time(path)
            case .checks: session.checks = try reader.amount(path, atMost: WireLimits.sessionChecks) ?? 0
            case .leaks: session.leaks = try reader.amount(path, atMost: WireLimits.sessionLeaks) ?? 0
            case .unseen: session.unseen = try reader.amount(path, atMost: WireLimits.sessionUnseen) ?? 0
            case .className, .count: try reader.scanner.skip()
            }
        } endElement: { _, _ in
            sessions.append(session)
            session = EndedSession(id: "", checks: 0, leaks: 0)
            return nil
        }
        document.sessions = sessions
    }

    private mutating func readChecks(into document: inout WireDocument) throws(JSONError) {
        var checks: [ClassChecks] = []
        var className = ""
        var count = 0
        try readObjects("checks", atMost: WireLimits.checkedClassCount) {
            (reader, path, field) throws(JSONError) in
            switch field {
            case .className:
                let slice = try reader.string(path, atMost: WireLimits.classBytes)
                className = reader.scanner.text(of: slice)
            case .count: count = try reader.amount(path, atMost: WireLimits.classChecks) ?? 0
            case .id, .startedAt, .checks, .leaks, .unseen: try reader.scanner.skip()
            }
        } endElement: { path, offset in
            guard !className.isEmpty else { return ("\(path) has no class", offset) }
            checks.append(ClassChecks(className: className, count: count))
            (className, count) = ("", 0)
            return nil
        }
        document.checks = checks
    }

    private mutating func readDropped(into document: inout WireDocument) throws(JSONError) {
        guard try expect(.object, field: "dropped", description: "a JSON object") else { return }
        let start = scanner.offset
        var dropped: [DroppedReports] = []
        if try scanner.enterObject() {
            repeat {
                let offset = scanner.offset
                let name = try scanner.name()
                let byteCount = textByteCount(name)
                guard byteCount <= WireLimits.droppedReasonBytes, dropped.count < WireLimits.droppedCount
                else {
                    if byteCount > WireLimits.droppedReasonBytes {
                        let limit = WireLimits.droppedReasonBytes
                        recordProblem(
                            "a name in dropped is \(byteCount) bytes, the limit is \(limit)", at: offset)
                    } else {
                        recordProblem("dropped has more than \(WireLimits.droppedCount) entries", at: start)
                    }
                    return
                }
                if hasControlCharacter(name) {
                    recordProblem("a name in dropped has a control character", at: offset)
                }
                let reason = scanner.text(of: name)
                if let count = try amount("dropped.\(reason)", atMost: WireLimits.droppedReports) {
                    dropped.append(DroppedReports(reason: reason, count: count))
                }
            } while try scanner.hasAnotherElement(in: .object)
        }
        document.dropped = dropped
    }
}

/// The names of fields in the elements of `sessions` and `checks`.
enum WireObjectField: String {
    case id, checks, leaks, unseen, count
    case startedAt = "started_at"
    case className = "class"
}
