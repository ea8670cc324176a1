// Writes reports and batches as JSON. Values beyond a limit of the format are cut: the sending app cannot correct them, and a
// shortened report is better than a rejected one.

extension LeakReport {
    /// Writes the report as an element of an array or as the whole text.
    ///
    /// Values beyond a limit of the format are cut. Texts are cut between two Unicode scalars. `stack` and `log` lose their
    /// first elements, because the leaked object and the newest line come last; other lists lose their last elements. In names,
    /// each control character becomes a space. An `id` that is not a UUID is left out.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    /// Writes the fields of the report, without the braces.
    package func writeFields(to object: inout JSONWriter) {
        writeSighting(to: &object)
        object.writeCounts(count: count, alive: alive)
    }

    /// Returns the report as JSON without `alive`, `count` and the last brace, which ``closed(_:count:alive:)`` adds. A sender that
    /// may see the leak again before it sends the report keeps this form.
    public func openJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 640)
        writer.object { writeSighting(to: &$0) }
        return Array(writer.bytes.dropLast())
    }

    /// Completes the output of ``openJSON()`` with the number of sightings and the number of instances that were alive.
    public static func closed(_ open: some Collection<UInt8>, count: Int, alive: Int?) -> [UInt8] {
        var counts = JSONWriter(capacity: 40)
        counts.object { $0.writeCounts(count: count, alive: alive) }
        var json = Array(open)
        // No comma may follow the opening brace.
        if json.count > 1 { json.append(UInt8(ascii: ",")) }
        json.append(contentsOf: counts.bytes.dropFirst())
        return json
    }

    private func writeSighting(to object: inout JSONWriter) {
        object.fieldIfPresent("type", event?.rawValue)
        if let id, UUIDText.isUUID(id.utf8) { object.field("id", id) }
        object.fieldIfPresent("at", at?.rfc3339)
        object.fieldIfPresent("kind", kind?.rawValue)
        let name = className?.name(cutTo: WireLimits.classBytes)
        if let name, !name.isEmpty { object.field("class", name) }
        object.list("stack", stack.suffix(WireLimits.stackCount), cutTo: WireLimits.elementBytes)
        object.list("children", children.prefix(WireLimits.childrenCount), cutTo: WireLimits.elementBytes)
        object.list("cycle", cycle.prefix(WireLimits.cycleCount), cutTo: WireLimits.elementBytes)
        object.fieldIfPresent("reason", reason?.cut(to: WireLimits.reasonBytes))
        object.fieldIfPresent("waited_ms", waitedMilliseconds?.cut(to: WireLimits.durationMilliseconds))
        object.fieldIfPresent("lived_ms", livedMilliseconds?.cut(to: WireLimits.durationMilliseconds))
        object.fieldIfPresent("message", message?.cut(to: WireLimits.messageBytes))
        error?.write(to: &object)
        if !keys.isEmpty {
            object.object("keys") { $0.customKeys(keys.prefix(WireLimits.keysCount)) }
        }
        object.list("log", log.suffix(WireLimits.logLineCount), cutTo: WireLimits.logLineBytes)
        object.list(
            "fingerprint", fingerprint.prefix(WireLimits.fingerprintCount), cutTo: WireLimits.fingerprintBytes
        )
        if let explanation { object.object("why") { explanation.write(to: &$0) } }
        object.origin(app ?? AppInfo(), device: device ?? DeviceInfo(), install: install, user: user)
    }

    /// Returns the output of ``write(to:)``.
    public func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 640)
        write(to: &writer)
        return writer.bytes
    }
}

extension LeakBatch {
    /// Returns the batch as JSON. Values are cut to the limits of the format, as ``LeakReport/write(to:)`` cuts the values of
    /// reports.
    ///
    /// Sessions, checks, explanations, reasons of dropped reports, and reports beyond the limits of one request are left out: send
    /// several batches. Checks without a class name, and ``explanations`` without an explanation, are left out too.
    public func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + 640 * min(reports.count, WireLimits.reportsCount))
        writer.object { object in
            writeHead(
                to: &object, explanations: explanations.filter { $0.explanation != nil }.map { $0.json() })
            object.array("reports") { array in
                for report in reports.prefix(WireLimits.reportsCount) { report.write(to: &array) }
            }
        }
        return writer.bytes
    }

    /// Returns the start of the batch as JSON, for a sender that keeps its reports as JSON. The caller appends the reports, with
    /// commas between them, and then ``tailJSON``.
    ///
    /// - Parameter explanations: the JSON of each of ``explanations``.
    public func headJSON(explanations: [some Collection<UInt8>] = [[UInt8]]()) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.object { object in
            writeHead(to: &object, explanations: explanations)
            object.array("reports") { _ in }
        }
        return Array(writer.bytes.dropLast(Self.tailJSON.count))
    }

    /// The JSON that follows the last report of a batch that begins with ``headJSON(explanations:)``.
    public static let tailJSON = Array("]}".utf8)

    private func writeHead(to object: inout JSONWriter, explanations: [some Collection<UInt8>]) {
        object.origin(app, device: device, install: install, user: user)
        object.fieldIfPresent("sent_at", sentAt?.rfc3339)
        if !sessions.isEmpty {
            object.array("sessions") { array in
                for session in sessions.prefix(WireLimits.sessionsCount) { session.write(to: &array) }
            }
        }
        let namedChecks = checks.filter { !$0.className.isEmpty }
        if !namedChecks.isEmpty {
            object.array("checks") { array in
                for check in namedChecks.prefix(WireLimits.checkedClassCount) {
                    array.object {
                        $0.field("class", check.className.cut(to: WireLimits.classBytes))
                        $0.field("count", check.count.cut(to: WireLimits.classChecks))
                    }
                }
            }
        }
        if !explanations.isEmpty {
            object.array("explanations") { array in
                for report in explanations.prefix(WireLimits.explanationsCount) {
                    array.element(json: report)
                }
            }
        }
        if !dropped.isEmpty {
            object.object("dropped") {
                for entry in dropped.prefix(WireLimits.droppedCount) {
                    $0.field(
                        entry.reason.name(cutTo: WireLimits.droppedReasonBytes),
                        entry.count.cut(to: WireLimits.droppedReports))
                }
            }
        }
    }
}

extension EndedSession {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.field("id", id.cut(to: WireLimits.sessionIDBytes))
            $0.fieldIfPresent("started_at", startedAt?.rfc3339)
            $0.field("checks", checks.cut(to: WireLimits.sessionChecks))
            $0.field("leaks", leaks.cut(to: WireLimits.sessionLeaks))
            if unseen > 0 { $0.field("unseen", unseen.cut(to: WireLimits.sessionUnseen)) }
        }
    }
}

extension ReportedError {
    /// Writes the description first, so that other values of `userInfo` cannot use up its space.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object("error") { object in
            object.field("domain", domain.cut(to: WireLimits.errorDomainBytes))
            object.field("code", code)
            guard !userInfo.isEmpty else { return }
            object.field("userInfo", json: userInfoJSON())
        }
    }

    private func userInfoJSON() -> [UInt8] {
        let descriptionFirst =
            userInfo.filter { $0.name == Self.descriptionKey }
            + userInfo.filter { $0.name != Self.descriptionKey }
        var writtenKeys: [CustomKey] = []
        // Two bytes for the braces.
        var byteCount = 2
        for key in descriptionFirst.prefix(WireLimits.userInfoCount) {
            // One byte for the comma in front.
            guard let key = key.cut(toJSON: WireLimits.userInfoBytes - byteCount - 1) else { continue }
            byteCount += key.jsonByteCount + 1
            writtenKeys.append(key)
        }
        var writer = JSONWriter(capacity: byteCount)
        writer.object { $0.customKeys(writtenKeys[...], nameBytes: .max, valueBytes: .max) }
        return writer.bytes
    }
}

extension CustomKey {
    /// Returns the field with its text cut so that it takes at most `limit` bytes as JSON; `nil` if even an empty text, or the number
    /// or boolean, does not fit.
    fileprivate func cut(toJSON limit: Int) -> CustomKey? {
        guard name.utf8.count < limit else { return nil }
        var key = self
        if case .string(let text) = value { key.value = .string(text.cut(to: limit)) }
        while true {
            let excess = key.jsonByteCount - limit
            guard excess > 0 else { return key }
            guard case .string(let text) = key.value, !text.isEmpty else { return nil }
            // Escaping turns one byte into at most six, so this never cuts too much.
            key.value = .string(text.cut(to: text.utf8.count - max(1, excess / 6)))
        }
    }

    /// The number of bytes of the field as JSON, without braces.
    fileprivate var jsonByteCount: Int {
        var writer = JSONWriter()
        writer.object { $0.customKeys([self], nameBytes: .max, valueBytes: .max) }
        return writer.bytes.count - 2
    }
}

extension JSONWriter {
    fileprivate mutating func writeCounts(count: Int, alive: Int?) {
        fieldIfPresent("alive", alive?.cut(to: WireLimits.aliveCount))
        field("count", min(max(1, count), WireLimits.mergedSightingCount))
    }

    fileprivate mutating func list(_ name: String, _ strings: ArraySlice<String>, cutTo limit: Int) {
        guard !strings.isEmpty else { return }
        array(name) { for string in strings { $0.element(string.cut(to: limit)) } }
    }

    fileprivate mutating func customKeys(
        _ keys: ArraySlice<CustomKey>, nameBytes: Int = WireLimits.keyBytes,
        valueBytes: Int = WireLimits.keyValueBytes
    ) {
        for key in keys {
            let name = key.name.cut(to: nameBytes)
            switch key.value {
            case .string(let text): field(name, text.cut(to: valueBytes))
            case .number(let number): field(name, number)
            case .boolean(let flag): field(name, flag)
            }
        }
    }

    fileprivate mutating func origin(
        _ app: AppInfo, device: DeviceInfo, install: String?, user: String?
    ) {
        if app != AppInfo() {
            object("app") {
                $0.fieldIfPresent("id", app.id?.name(cutTo: WireLimits.appIDBytes))
                $0.fieldIfPresent("module", app.module?.name(cutTo: WireLimits.moduleBytes))
                $0.fieldIfPresent("environment", app.environment?.name(cutTo: WireLimits.environmentBytes))
                $0.fieldIfPresent("version", app.version?.name(cutTo: WireLimits.versionBytes))
                $0.fieldIfPresent("build", app.build?.name(cutTo: WireLimits.versionBytes))
            }
        }
        if device != DeviceInfo() {
            object("device") {
                $0.fieldIfPresent("os", device.os?.name(cutTo: WireLimits.deviceBytes))
                $0.fieldIfPresent("os_version", device.osVersion?.name(cutTo: WireLimits.deviceBytes))
                $0.fieldIfPresent("model", device.model?.name(cutTo: WireLimits.deviceBytes))
            }
        }
        fieldIfPresent("install", install?.name(cutTo: WireLimits.installBytes))
        fieldIfPresent("user", user?.name(cutTo: WireLimits.userBytes))
    }
}

extension String {
    /// Returns at most the first `limit` bytes of UTF-8, cut between two Unicode scalars.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        return Text(self).cut(to: max(0, limit)).string
    }

    /// Returns at most `limit` bytes. A longer text is cut and gets its hash as its end, so that texts with the same beginning stay
    /// different.
    package func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let mark = "…" + FNV1a(self).hexadecimal
        return cut(to: limit - mark.utf8.count) + mark
    }

    /// Returns at most `limit` bytes. Names may not contain control characters, so each becomes a space.
    func name(cutTo limit: Int) -> String { withoutControlCharacters.cut(to: limit) }

    /// The text with a space for each control character: U+0000 to U+001F and U+007F to U+009F.
    fileprivate var withoutControlCharacters: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isControl ? " " : scalar) }
        return String(text)
    }
}

extension Int {
    /// Returns the value, raised to 0 or lowered to `limit` if it lies outside.
    fileprivate func cut(to limit: Int) -> Int { Swift.min(Swift.max(0, self), limit) }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
