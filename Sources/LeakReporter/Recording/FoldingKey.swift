internal import LeakGrammar
import LeakMessage
internal import LeakPlatform

/// What two sightings on this device must share to be counted as one report.
///
/// Finer than the collector's groups, so that nothing it tells apart is put together: beside class and stack it has
/// what the collector shows of a group, and who sent it. Addresses, times, the log and the rest of a text are not in it.
///
/// A keyed hash of 128 bits, SipHash twice with different first bytes: of a million leaks, two share a key once in
/// 10²⁶ runs. It is another one in each process, and may not be kept.
struct FoldingKey: Hashable, Sendable {
    private let high: Int
    private let low: Int

    /// The same for the mailbox, in which sightings wait.
    var mergeKey: MergeKey { MergeKey(high, low) }

    /// - Parameters:
    ///   - report: as recorded; what the wire format cuts is cut here too.
    ///   - withKeys: tells reports apart that have other custom keys, or an error with other `userInfo`. Without it, two keys
    ///     are equal when the reports are of the same leak, which ``Budget`` counts.
    init(_ report: LeakReport, withKeys: Bool = false) {
        var parts = FoldingParts()
        parts.append(report)
        if withKeys {
            parts.append(report.keys)
            parts.append(userInfo: report.error?.userInfo ?? [])
        }
        (high, low) = (parts.hash(0), parts.hash(1))
    }
}

/// The bytes that a ``FoldingKey`` is the hash of, each part behind its length.
private struct FoldingParts {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    func hash(_ first: UInt8) -> Int {
        var hasher = Hasher()
        hasher.combine(first)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    mutating func append(_ report: LeakReport) {
        // As the collector reads a report: its text counts for what the fields leave open.
        let named = report.className.flatMap { $0.isEmpty ? nil : $0 }
        let text = [report.message, report.error?.description].compactMap(\.self).first { !$0.isEmpty }
        let mayHaveCalls = report.stack.isEmpty && text.map(DetectorMessage.mayHaveCallStack) ?? false
        let isOpen = named == nil || report.event == nil
        let parsed = isOpen || mayHaveCalls ? text.map(Self.read) : nil
        let subject = named == nil ? parsed : nil

        append((report.kind ?? (isOpen ? parsed?.kind : nil))?.rawValue)
        if let named {
            append(name: named, atMost: WireLimits.classBytes)
        } else {
            append(subject?.wholeNames.className)
            append(subject?.template)
        }
        if report.stack.isEmpty { append(parsed?.callStack?.key ?? []) }
        append(report.stack, orCleaned: subject?.wholeNames.stack)
        append(report.children, orCleaned: subject?.wholeNames.children)
        // It may be given from any of its references on.
        append(Cycle.smallestRotation(report.cycle), orCleaned: subject?.cycle)
        append(report.reason)
        append(report.fingerprint)
        append(report.error?.domain)
        append(report.error?.code)
        append(report.app)
        append(report.device)
        append(report.install)
        append(report.user)

        // The explanation of a leak is paid for beside its sightings.
        if report.explanation != nil { bytes.append(2) }
        let isFreed = (report.event ?? parsed?.event) == .freed
        bytes.append(isFreed ? 1 : 0)
        guard isFreed else { return }
        let lived = report.livedMilliseconds ?? (parsed ?? text.map(Self.read))?.livedMilliseconds
        append(lived.map(Self.halfOctave))
    }

    /// By name, since their order says nothing. None are nothing at all, so that both sorts of keys are then equal.
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

    /// As they are sent, but for addresses and for what varies in the text of a detector.
    mutating func append(userInfo: [CustomKey]) {
        guard !userInfo.isEmpty else { return }
        // Not the same as custom keys.
        bytes.append(4)
        append(
            userInfo.map { key in
                guard case .string(let text) = key.value else { return key }
                let isDescription = key.name == ReportedError.descriptionKey
                let value = isDescription ? Self.read(text).template : Self.withoutAddresses(text)
                return CustomKey(key.name, .string(value))
            })
    }

    /// The text without the hexadecimal digits behind each `0x`.
    private static func withoutAddresses(_ text: String) -> String {
        guard text.contains("0x") else { return text }
        var kept: [UInt8] = []
        var isAddress = false
        for byte in text.utf8 {
            let isDigit = byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
            isAddress = isAddress && isDigit
            if !isAddress { kept.append(byte) }
            if kept.suffix(2).elementsEqual("0x".utf8) { isAddress = true }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func read(_ text: String) -> DetectorMessage {
        DetectorMessage(text.prefix(utf8: WireLimits.messageBytes))
    }

    /// The length of a time in bits, and its second bit: the times from 4 to 5, from 6 to 7, from 8 to 11 have one.
    ///
    /// A report stands for the others with its own time, which is then wrong by a factor of less than 1.5 for one
    /// whose second bit is 0 and less than 4/3 for one whose second bit is 1. No percentile is wrong by more.
    private static func halfOctave(_ milliseconds: Int) -> Int {
        let time = max(milliseconds, 0)
        guard time > 1 else { return time }
        let length = Int.bitWidth - time.leadingZeroBitCount
        return length * 2 + (time >> (length - 2) & 1)
    }

    /// Plain names as they are. Others, such as `<Shop.Cart: 0x7f88acc69260>`, cleaned, which takes longer; with a mark,
    /// since cleaning hides the arguments that tell whether a generic type is the system's.
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

    /// Names that were given, or else those that a text says.
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
        for text in [app.id, app.module, app.version, app.build] { append(text) }
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

    /// By its bytes, as the collector compares: for `String` a composed and a decomposed accent are equal.
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
    /// True if the report has values that tell it from others of the same leak.
    var hasValues: Bool { !keys.isEmpty || error?.userInfo.isEmpty == false }
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
