internal import LeakGrammar
import LeakMessage
internal import LeakPlatform

/// A key for merging: sightings on this device with equal keys are counted as one report.
///
/// It is finer than the collector's groups, so that sightings in different groups are never merged: besides class and stack, it
/// includes everything that the collector shows of a group, the sender, and for a freed object the range of its lifetime.
/// Addresses, other times, the log and the other parts of a text are not included.
///
/// A keyed hash of 128 bits, SipHash twice with different first bytes: among a million leaks, two share a key once in 10²⁶ runs. It
/// differs between processes and must not be stored.
struct ReportMergeKey: Hashable, Sendable {
    private let high: Int
    private let low: Int

    /// The same key in the type that ``BoundedQueue`` uses to merge waiting sightings.
    var mergeKey: MergeKey { MergeKey(high, low) }

    /// - Parameters:
    ///   - report: the report as recorded; values are cut here as the wire format cuts them.
    ///   - withKeys: if `true`, reports with different custom keys, or an error with different `userInfo`, get different keys.
    ///     If `false`, reports that differ only in these get the same key, with which ``ReportQuota`` counts different leaks.
    init(_ report: LeakReport, withKeys: Bool = false) {
        var parts = ReportMergeParts()
        parts.append(report)
        if withKeys {
            parts.append(report.keys)
            parts.append(userInfo: report.error?.userInfo ?? [])
        }
        (high, low) = (parts.hash(firstByte: 0), parts.hash(firstByte: 1))
    }
}

/// The input bytes of the hash of a ``ReportMergeKey``; each part follows its length.
private struct ReportMergeParts {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    func hash(firstByte: UInt8) -> Int {
        var hasher = Hasher()
        hasher.combine(firstByte)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    mutating func append(_ report: LeakReport) {
        // Like the collector, this uses the text for the fields that are missing.
        let className = report.className.flatMap { $0.isEmpty ? nil : $0 }
        let text = [report.message, report.error?.description].compactMap(\.self).first { !$0.isEmpty }
        let parsesCallStack = report.stack.isEmpty && text.map(DetectorMessage.mayHaveCallStack) ?? false
        let lacksClassOrEvent = className == nil || report.event == nil
        let parsed = lacksClassOrEvent || parsesCallStack ? text.map(Self.parse) : nil
        let parsedIdentity = className == nil ? parsed : nil

        append((report.kind ?? (lacksClassOrEvent ? parsed?.kind : nil))?.rawValue)
        if let className {
            append(name: className, atMost: WireLimits.classBytes)
        } else {
            append(parsedIdentity?.wholeNames.className)
            append(parsedIdentity?.template)
        }
        if report.stack.isEmpty { append(parsed?.callStack?.keyElements ?? []) }
        append(report.stack, orCleaned: parsedIdentity?.wholeNames.stack)
        append(report.children, orCleaned: parsedIdentity?.wholeNames.children)
        // The cycle may start at any of its references.
        append(Cycle.smallestRotation(report.cycle), orCleaned: parsedIdentity?.cycle)
        append(report.reason)
        append(report.fingerprint)
        append(report.error?.domain)
        append(report.error?.code)
        append(report.app)
        append(report.device)
        append(report.install)
        append(report.user)

        // A report with an explanation counts in the quota separately from the sightings of its leak.
        if report.explanation != nil { bytes.append(2) }
        let isFreed = (report.event ?? parsed?.event) == .freed
        bytes.append(isFreed ? 1 : 0)
        guard isFreed else { return }
        let lifetime = report.livedMilliseconds ?? (parsed ?? text.map(Self.parse))?.livedMilliseconds
        append(lifetime.map(Self.halfOctaveBucket))
    }

    /// Appends custom keys sorted by name, because their order is irrelevant. An empty array appends nothing, so that the hash is
    /// the same with and without `withKeys`.
    mutating func append(_ keys: [CustomKey]) {
        for key in keys.sorted(by: { $0.name < $1.name }) {
            append(key.name)
            switch key.value {
            case .string(let text):
                bytes.append(0)
                append(text)
            case .number(let number):
                bytes.append(1)
                append(Int(truncatingIfNeeded: number.bitPattern))
            case .boolean(let isTrue): bytes.append(isTrue ? 3 : 2)
            }
        }
    }

    /// Appends `userInfo` as it is sent, without addresses and without the variable parts of a detector's text.
    mutating func append(userInfo: [CustomKey]) {
        guard !userInfo.isEmpty else { return }
        // The byte distinguishes `userInfo` from custom keys.
        bytes.append(4)
        append(
            userInfo.map { key in
                guard case .string(let text) = key.value else { return key }
                let isDescription = key.name == ReportedError.descriptionKey
                let value = isDescription ? Self.parse(text).template : Self.withoutAddresses(text)
                return CustomKey(key.name, .string(value))
            })
    }

    /// Returns the text without the hexadecimal digits after each `0x`.
    private static func withoutAddresses(_ text: String) -> String {
        guard text.contains("0x") else { return text }
        var keptBytes: [UInt8] = []
        var isAddress = false
        for byte in text.utf8 {
            let isDigit = byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
            isAddress = isAddress && isDigit
            if !isAddress { keptBytes.append(byte) }
            if keptBytes.suffix(2).elementsEqual("0x".utf8) { isAddress = true }
        }
        return String(decoding: keptBytes, as: UTF8.self)
    }

    private static func parse(_ text: String) -> DetectorMessage {
        DetectorMessage(text.prefix(utf8: WireLimits.messageBytes))
    }

    /// Returns the bucket of a time. There are two buckets per doubling: the times from 4 to 5, from 6 to 7, from 8 to 11, from
    /// 12 to 15 have one bucket each.
    ///
    /// Times in one bucket differ by a factor of less than 1.5. A merged report has the time of one of its sightings, so no
    /// percentile is off by more.
    private static func halfOctaveBucket(_ milliseconds: Int) -> Int {
        let time = max(milliseconds, 0)
        guard time > 1 else { return time }
        let length = Int.bitWidth - time.leadingZeroBitCount
        return length * 2 + (time >> (length - 2) & 1)
    }

    /// Appends a name. Plain names are appended unchanged. Other names, such as `<Shop.Cart: 0x7f88acc69260>`, are cleaned, which
    /// takes longer, and marked, because cleaning hides the arguments that show whether a generic type belongs to the system.
    private mutating func append(name: String, atMost limit: Int) {
        let isPlain = name.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
                || byte == UInt8(ascii: ".") || byte >= 0x80
        }
        guard !isPlain else { return append(name) }
        let cleaned = TypeName(name.prefix(utf8: limit))
        append(cleaned.detailedText)
        bytes.append(cleaned.isSystem ? 2 : 1)
    }

    /// Appends the given names or, if there are none, the names parsed from a text.
    private mutating func append(_ names: [String], orCleaned cleaned: [String]?) {
        guard names.isEmpty else {
            append(names.count)
            for name in names { append(name: name, atMost: WireLimits.elementBytes) }
            return
        }
        append(cleaned ?? [])
    }

    private mutating func append(_ app: AppInfo?) {
        bytes.append(app == nil ? 0 : 1)
        guard let app else { return }
        for text in [app.id, app.module, app.environment, app.version, app.build] { append(text) }
    }

    private mutating func append(_ device: DeviceInfo?) {
        bytes.append(device == nil ? 0 : 1)
        guard let device else { return }
        for text in [device.os, device.osVersion, device.model] { append(text) }
    }

    private mutating func append(_ texts: [String]) {
        append(texts.count)
        for text in texts { append(text) }
    }

    /// Appends a text by its bytes, as the collector compares: `String` treats composed and decomposed accents as equal.
    private mutating func append(_ text: String?) {
        append(text?.utf8.count)
        if let text { bytes.append(contentsOf: text.utf8) }
    }

    private mutating func append(_ number: Int?) {
        bytes.append(number == nil ? 0 : 1)
        guard let number else { return }
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}

extension LeakReport {
    /// `true` if the report has custom keys, or an error with `userInfo`. They may distinguish it from other reports of the
    /// same leak.
    var hasDistinguishingValues: Bool { !keys.isEmpty || error?.userInfo.isEmpty == false }
}

extension ReportedError {
    /// The text under `NSLocalizedDescription`.
    fileprivate var description: String? {
        for key in userInfo where key.name == Self.descriptionKey {
            if case .string(let text) = key.value { return text }
        }
        return nil
    }
}
