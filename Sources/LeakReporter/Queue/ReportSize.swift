import LeakMessage

/// The size of a report in the queue and, approximately, on the wire.
enum ReportSize {
    /// The bytes of the field names, the id and the time.
    static let fixedBytes = 200

    /// Estimates the size from the lengths of its texts, without encoding: escapes are not counted.
    ///
    /// Allocates no memory, because it runs on the thread that records.
    static func bytes(of report: LeakReport) -> Int {
        var bytes = fixedBytes + Self.bytes(of: report.className) + Self.bytes(of: report.message)
        bytes += Self.bytes(of: report.reason) + Self.bytes(of: report.user) + Self.bytes(of: report.install)
        bytes += Self.bytes(of: report.stack) + Self.bytes(of: report.children)
        bytes += Self.bytes(of: report.cycle) + Self.bytes(of: report.log)
        bytes += Self.bytes(of: report.fingerprint)
        for key in report.keys { bytes += Self.bytes(of: key) }
        // An estimate for app and device, which usually take less. Their values were already cut to the limits of
        // the wire format, 896 bytes in all.
        if report.app != nil || report.device != nil { bytes += fixedBytes * 2 }
        if let error = report.error {
            bytes += error.domain.utf8.count + 40
            for key in error.userInfo { bytes += Self.bytes(of: key) }
        }
        guard let explanation = report.explanation else { return bytes }
        if let path = explanation.path { bytes += Self.bytes(of: path) }
        for cycle in explanation.furtherCycles { bytes += Self.bytes(of: cycle) }
        return bytes
    }

    private static func bytes(of path: RetainPath) -> Int {
        path.references.reduce(0) { $0 + $1.owner.utf8.count + $1.field.utf8.count + 60 }
    }

    private static func bytes(of text: String?) -> Int { text?.utf8.count ?? 0 }

    private static func bytes(of list: [String]) -> Int {
        var bytes = 0
        for text in list { bytes += text.utf8.count + 3 }
        return bytes
    }

    private static func bytes(of key: CustomKey) -> Int {
        guard case .string(let text) = key.value else { return key.name.utf8.count + 24 }
        return key.name.utf8.count + text.utf8.count + 6
    }
}

extension LeakReport {
    /// Returns the report with values cut to the limits of the wire format, so that a huge text does not wait in memory. Names
    /// of custom keys are cut to four times their limit.
    func truncatedForQueue() -> LeakReport {
        var report = self
        report.message = message?.prefix(utf8: WireLimits.messageBytes)
        report.className = className?.prefix(utf8: WireLimits.classBytes)
        report.reason = reason?.prefix(utf8: WireLimits.reasonBytes)
        report.stack.keepLast(WireLimits.stackCount, maxBytesEach: WireLimits.elementBytes)
        report.children.keepFirst(WireLimits.childrenCount, maxBytesEach: WireLimits.elementBytes)
        report.cycle.keepFirst(WireLimits.cycleCount, maxBytesEach: WireLimits.elementBytes)
        report.log.keepLast(WireLimits.logLineCount, maxBytesEach: WireLimits.logLineBytes)
        report.fingerprint.keepFirst(WireLimits.fingerprintCount, maxBytesEach: WireLimits.fingerprintBytes)
        report.keys.keepFirst(WireLimits.keysCount, maxValueBytes: WireLimits.keyValueBytes)
        report.id = id?.prefix(utf8: 64)
        report.user = user?.prefix(utf8: WireLimits.userBytes)
        report.install = install?.prefix(utf8: WireLimits.installBytes)
        report.app?.truncate()
        report.device?.truncate()
        report.error?.domain.truncate(toBytes: WireLimits.errorDomainBytes)
        report.error?.userInfo.keepFirst(WireLimits.userInfoCount, maxValueBytes: WireLimits.userInfoBytes)
        report.explanation?.truncate()
        return report
    }
}

extension RetainExplanation {
    fileprivate mutating func truncate() {
        path?.truncate()
        furtherCycles.keepFirst(WireLimits.furtherCyclesCount)
        for index in furtherCycles.indices { furtherCycles[index].truncate() }
        closureSites.keepFirst(WireLimits.pathReferenceCount)
    }
}

extension RetainPath {
    fileprivate mutating func truncate() {
        if references.count > WireLimits.pathReferenceCount { fullLength = fullLength ?? references.count }
        references.keepFirst(WireLimits.pathReferenceCount)
        target.truncate(toBytes: WireLimits.classBytes)
        // Checked before the change: a change copies the whole array.
        for index in references.indices {
            if references[index].owner.utf8.count > WireLimits.classBytes {
                references[index].owner.truncate(toBytes: WireLimits.classBytes)
            }
            if references[index].field.utf8.count > WireLimits.elementBytes {
                references[index].field.truncate(toBytes: WireLimits.elementBytes)
            }
        }
    }
}

extension AppInfo {
    fileprivate mutating func truncate() {
        id = id?.prefix(utf8: WireLimits.appIDBytes)
        module = module?.prefix(utf8: WireLimits.moduleBytes)
        environment = environment?.prefix(utf8: WireLimits.environmentBytes)
        version = version?.prefix(utf8: WireLimits.versionBytes)
        build = build?.prefix(utf8: WireLimits.versionBytes)
    }
}

extension DeviceInfo {
    fileprivate mutating func truncate() {
        os = os?.prefix(utf8: WireLimits.deviceBytes)
        osVersion = osVersion?.prefix(utf8: WireLimits.deviceBytes)
        model = model?.prefix(utf8: WireLimits.deviceBytes)
    }
}

extension String {
    /// Returns at most `limit` bytes of the string, cut between two scalars. It makes no copy if the string fits.
    func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    fileprivate mutating func truncate(toBytes limit: Int) { self = prefix(utf8: limit) }
}

extension Array {
    fileprivate mutating func keepFirst(_ maxCount: Int) {
        if count > maxCount { self = Array(prefix(maxCount)) }
    }
}

extension [String] {
    fileprivate mutating func keepFirst(_ maxCount: Int, maxBytesEach: Int) {
        if count > maxCount { self = Array(prefix(maxCount)) }
        truncateEach(toBytes: maxBytesEach)
    }

    fileprivate mutating func keepLast(_ maxCount: Int, maxBytesEach: Int) {
        if count > maxCount { self = Array(suffix(maxCount)) }
        truncateEach(toBytes: maxBytesEach)
    }

    private mutating func truncateEach(toBytes limit: Int) {
        // Checked before the change: changing copies an array that is shared.
        guard contains(where: { $0.utf8.count > limit }) else { return }
        for index in indices where self[index].utf8.count > limit {
            self[index] = self[index].prefix(utf8: limit)
        }
    }
}

extension [CustomKey] {
    fileprivate mutating func keepFirst(_ maxCount: Int, maxValueBytes: Int) {
        if count > maxCount { self = Array(prefix(maxCount)) }
        for index in indices {
            // Checked before the change: a change copies the whole array.
            if self[index].name.utf8.count > WireLimits.keyBytes * 4 {
                self[index].name = self[index].name.prefix(utf8: WireLimits.keyBytes * 4)
            }
            if case .string(let text) = self[index].value, text.utf8.count > maxValueBytes {
                self[index].value = .string(text.prefix(utf8: maxValueBytes))
            }
        }
    }
}
