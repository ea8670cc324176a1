import LeakMessage
import LeakStore
import LeakSentry

@testable import LeakCollector
@testable import LeakGrammar

/// Properties that hold for every request body, including hostile bodies.
enum MessageInvariants {
    /// Maximum number of reports of one body that are checked. More reports of one body would add no coverage.
    private static let checkedReportLimit = 16

    /// Checks all properties for one body.
    ///
    /// - Parameter cache: the cache of earlier bodies, which must not change the result.
    /// - Returns: the invariant that `body` violates, in words, or `nil`.
    static func violation(by body: [UInt8], cache: inout GroupCache) -> String? {
        for format in [WireFormat.json, .ndjson, .text] {
            guard let document = try? WireReader.read(body, as: format) else { continue }
            if let violation = violationByDocument(document, &cache) { return "\(format): \(violation)" }
            if format == .text, let violation = violationByText(document) { return violation }
        }
        if let violation = violationByIngest(body) ?? violationBySentry(body) { return violation }
        let text = String(decoding: body.prefix(2 * 1024), as: UTF8.self)
        return violationByName(text) ?? violationByTypedText(text, body.count)
    }

    // MARK: Reading and writing

    private static func violationByDocument(_ document: WireDocument, _ cache: inout GroupCache)
        -> String?
    {
        guard document.reportCount <= WireLimits.reportsCount else {
            return "\(document.reportCount) reports"
        }
        if let violation = violationByLines(document) { return violation }
        for index in document.reports.indices.prefix(checkedReportLimit) {
            let report = document.report(at: index)
            let violation =
                violationByWriting(report) ?? violationByGrouping(report, document, index, &cache)
                ?? violationBySample(report, document, index)
            if let violation { return "report \(index): \(violation)" }
        }
        return nil
    }

    /// Checks that a report that was read can be written, and that reading it again gives the same report.
    private static func violationByWriting(_ report: LeakReport) -> String? {
        let written = report.json()
        guard let document = try? WireReader.read(written, as: .json), document.reports.count == 1 else {
            return "\(text(written)) is not read again"
        }
        let again = document.report(at: 0)
        guard again.json() == written else { return "\(text(written)) becomes \(text(again.json()))" }
        var (one, other) = (report, again)
        // These fields are not compared: a year that RFC 3339 cannot express becomes the nearest possible year, and
        // numbers in an error may be longer when they are written again.
        (one.at, other.at) = (nil, nil)
        (one.error, other.error) = (nil, nil)
        guard one == other else { return "\(one) becomes \(other)" }
        return nil
    }

    /// Checks that the same reports, one per line, give the same document.
    private static func violationByLines(_ document: WireDocument) -> String? {
        let raw = document.reports.map { Array(document.bytes(of: $0.raw)) }
        guard !raw.isEmpty, !raw.contains(where: { $0.contains(UInt8(ascii: "\n")) }) else { return nil }
        let body = Array(raw.joined(separator: [UInt8(ascii: "\n")]))
        guard let lines = try? WireReader.read(body, as: .ndjson), lines.reports.count == raw.count else {
            return "not read line by line"
        }
        for index in raw.indices.prefix(checkedReportLimit)
        where lines.report(at: index) != document.report(at: index) {
            return "line \(index) reads as \(lines.report(at: index))"
        }
        return nil
    }

    private static func violationByText(_ document: WireDocument) -> String? {
        guard document.reports.count == 1 else { return nil }
        let message = DetectorMessage(
            document.report(at: 0).message ?? "", demangle: RuntimeDemangler.demangle)
        let names = message.stack + message.children + message.cycle + [message.className].compactMap(\.self)
        guard message.maskedText.utf8.count <= 512 else {
            return "a masked text of \(message.maskedText.utf8.count)"
        }
        guard names.allSatisfy({ isName($0) && !$0.isEmpty }) else { return "no names: \(names)" }
        return nil
    }

    /// Checks that a complete request with any content gets a JSON response.
    private static func violationByIngest(_ body: [UInt8]) -> String? {
        for format in [WireFormat.json, .text] {
            let ingestRequest = IngestRequest(
                body: body, format: format, app: "a", version: "1", idempotencyKey: "k",
                receivedAt: 1_800_000_000_000)
            let key = Credential(id: 1, purpose: .ingest, name: "k", hash: [], app: nil, createdAt: 0)
            var cache = GroupCache(limit: 16)
            guard let builder = try? SubmissionBuilder(ingestRequest, key: key, cache: &cache) else {
                continue
            }
            let answer = builder.submission.response
            let isJSON: Void? = try? JSONScanner.scan(answer) { (scanner) throws(JSONError) in
                try scanner.skip()
                try scanner.finish()
            }
            guard isJSON != nil else { return "the answer \(text(answer))" }
        }
        return nil
    }

    /// Checks that a request of a Sentry SDK is either rejected as a whole or read completely, because an SDK never
    /// sends it again.
    private static func violationBySentry(_ body: [UInt8]) -> String? {
        for submission in [try? SentrySubmission(envelope: body), try? SentrySubmission(event: body)] {
            guard let batch = submission?.batch else { continue }
            guard let document = try? WireReader.read(batch, as: .json), document.rejected.isEmpty,
                document.reportCount > 0 || !document.dropped.isEmpty
            else { return "the batch of an envelope \(text(batch))" }
        }
        return nil
    }

    // MARK: Grouping

    private static func violationByGrouping(
        _ report: LeakReport, _ document: WireDocument, _ index: Int, _ cache: inout GroupCache
    ) -> String? {
        let module = document.string(document.reports[index].origin.module)
        let group = GroupingRules.groups(report, app: "a", module: module).first
        let identity = group.identity
        var fresh = GroupCache(limit: 4)
        for cached in [
            cache.group(document, document.reports[index], app: "a", module: module).first,
            cache.group(document, document.reports[index], app: "a", module: module).first,
            fresh.group(document, document.reports[index], app: "a", module: module).first,
        ] {
            guard cached.identity.id == identity.id, cached.isFreed == group.isFreed,
                cached.livedMilliseconds == group.livedMilliseconds, cached.alive == group.alive
            else { return "the cache says \(words(cached)), not \(words(group))" }
        }
        let versions = GroupingRules.oldVersion...GroupingRules.currentVersion
        guard versions.contains(identity.groupingKey.version) else {
            return "version \(identity.groupingKey.version)"
        }
        let names =
            identity.stack + identity.children + identity.cycle + [identity.className].compactMap(\.self)
        guard names.allSatisfy(isName) else { return "no names: \(names)" }
        guard identity.stack.count <= WireLimits.stackCount, identity.cycle.count <= WireLimits.cycleCount
        else {
            return "a stack of \(identity.stack.count), a cycle of \(identity.cycle.count)"
        }
        return violationByAddresses(report, group, module, &cache)
    }

    /// Checks that other addresses, as in another launch of the app, give the same leak.
    private static func violationByAddresses(
        _ report: LeakReport, _ group: GroupedReport, _ module: String?, _ cache: inout GroupCache
    ) -> String? {
        guard let message = report.message, report.className == nil else { return nil }
        var other = report
        other.message = Digits.replaced(in: message)
        guard let document = try? WireReader.read(other.json(), as: .json), document.reports.count == 1 else {
            return nil
        }
        let direct = GroupingRules.groups(document.report(at: 0), app: "a", module: module).first
        let cached = cache.group(document, document.reports[0], app: "a", module: module).first
        guard cached.identity.id == direct.identity.id, cached.livedMilliseconds == direct.livedMilliseconds
        else {
            return "the cache takes \(words(direct)) for \(words(cached))"
        }
        // In the JSON of frames these digits are offsets, and other offsets are another leak.
        let hasOnlyOffsets = [direct, group].contains {
            CallStack.hasOnlyOffsets($0.identity.groupingKey.stack)
        }
        guard hasOnlyOffsets || direct.identity.id == group.identity.id else {
            return "\(words(direct)) is not \(words(group))"
        }
        return nil
    }

    // MARK: Samples

    /// Checks that the redacted sample of a report belongs to the same leak, and that redacting it again changes
    /// nothing.
    private static func violationBySample(_ report: LeakReport, _ document: WireDocument, _ index: Int)
        -> String?
    {
        let redacted = report.redacted()
        guard redacted.redacted() == redacted else { return "\(redacted) becomes \(redacted.redacted())" }
        // Redaction can make a text longer. A text beyond the length limit of a message is truncated in a sample, and its group
        // may differ.
        guard (redacted.message?.utf8.count ?? 0) <= WireLimits.messageBytes else { return nil }
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        // A sample of a report with several leaks may describe only the first.
        guard groups.others.isEmpty else { return nil }
        let one = groups.first
        let other = GroupingRules.groups(redacted, app: "a", module: nil).first
        guard one.identity.id == other.identity.id, one.isFreed == other.isFreed,
            one.livedMilliseconds == other.livedMilliseconds, one.alive == other.alive
        else { return "the sample \(redacted) is \(words(other)), not \(words(one))" }
        let sample = SampleRedaction.redact(document.bytes(of: document.reports[index].raw))
        guard sample.count <= SampleRedaction.maxSampleBytes * 2,
            (try? WireReader.read(sample, as: .json)) != nil
        else {
            return "a sample of \(sample.count) bytes"
        }
        var whole = redacted
        (whole.app, whole.device, whole.install, whole.user) = (nil, nil, nil, nil)
        let kept = (try? WireReader.read(sample, as: .json))?.report(at: 0).json()
        guard whole.json().count > SampleRedaction.maxSampleBytes || kept == whole.json() else {
            return "the sample \(text(sample)), not \(text(whole.json()))"
        }
        return nil
    }

    // MARK: Names

    private static func violationByName(_ text: String) -> String? {
        let name = TypeName(text, demangle: RuntimeDemangler.demangle)
        guard isName(name.text) else { return "no name: \(name.text)" }
        let again = TypeName(name.text, demangle: RuntimeDemangler.demangle).text
        guard again.utf8.elementsEqual(name.text.utf8) else { return "\(name.text) is cleaned to \(again)" }
        for symbol in [text, "$s" + text, "_T0" + text] {
            let bare = symbol.hasPrefix("_$") ? symbol.dropFirst().utf8 : symbol[...].utf8
            for (plain, isFunction) in [
                (RuntimeDemangler.demangle(symbol), false), (RuntimeDemangler.demangleFunction(symbol), true),
            ] {
                guard let plain else { continue }
                guard let bound = DemangledSizeBound.bound(bare, isFunction: isFunction),
                    plain.utf8.count <= bound
                else {
                    return "\(symbol) is demangled to \(plain.utf8.count) bytes"
                }
            }
        }
        _ = TypeName("_Tt" + text).split(appModule: text)
        return nil
    }

    /// Returns `true` if a name has a limited length and no control character, which could separate the parts of a
    /// key.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 2 * 1024 + 8 && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    // MARK: Text that users typed

    /// Checks that a secret that a user typed is neither stored nor shown, if other typed text is before and after it.
    ///
    /// - Parameter placeNumber: selects the ``PrivatePlaces`` that contain the typed text.
    private static func violationByTypedText(_ typed: String, _ placeNumber: Int) -> String? {
        // The secret cannot be the name of a type, because a quoted text may be the description of an object, whose
        // type is kept.
        let secret = "Zq7 Xk9mJ"
        let scalars = typed.unicodeScalars.prefix(96)
        let middle = scalars.count / 2
        var user = String(String.UnicodeScalarView(scalars.prefix(middle)))
        user += secret
        user += String(String.UnicodeScalarView(scalars.dropFirst(middle)))
        let message = PrivatePlaces.messages[placeNumber % PrivatePlaces.messages.count](user)
        var report = LeakReport()
        report.message = message
        if let violation = textContaining(secret, in: report) { return "\(message): \(violation)" }
        let name = PrivatePlaces.names[placeNumber % PrivatePlaces.names.count](user)
        var named = LeakReport()
        named.className = placeNumber.isMultiple(of: 2) ? name : "A"
        named.stack = [name]
        named.children = [name]
        named.cycle = [name]
        named.log = [PrivatePlaces.words[placeNumber % PrivatePlaces.words.count](user)]
        named.keys = [CustomKey("k", .string(named.log[0]))]
        if let violation = textContaining(secret, in: named) { return "\(name): \(violation)" }
        return nil
    }

    /// Searches a report's leak and sample for a secret.
    ///
    /// - Returns: a text of the leak or of the sample that contains `secret`, or `nil`.
    static func textContaining(_ secret: String, in report: LeakReport) -> String? {
        let groups = GroupingRules.groups(report, app: "a", module: nil)
        let identities = ([groups.first] + groups.others).map(\.identity)
        let shown = (identities + identities.compactMap(\.otherModuleSpelling)).flatMap { texts(of: $0) }
        if let text = shown.first(where: { $0.contains(secret) }) { return "shown as \(text)" }
        let sample = text(report.redacted().json())
        return sample.contains(secret) ? "kept as \(sample)" : nil
    }

    private static func texts(of identity: LeakIdentity) -> [String] {
        var texts = [
            identity.title, identity.groupingKey.className, identity.className ?? "", identity.module ?? "",
        ]
        texts += identity.stack + identity.children + identity.cycle
        return texts + identity.groupingKey.stack
    }

    private static func words(_ group: GroupedReport) -> String {
        "\(group.identity.groupingKey) freed \(group.isFreed) lived \(group.livedMilliseconds ?? -1) alive \(group.alive ?? -1)"
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Digits that change from launch to launch.
private enum Digits {
    /// Returns `message` with other digits in each separate word such as `0x7f88acc69260`.
    static func replaced(in message: String) -> String {
        var bytes = Array(message.utf8)
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            if rest.starts(with: "0x".utf8), index == 0 || !isWord(bytes[index - 1]) {
                let digits = rest.dropFirst(2).prefix { isHexadecimal($0) }
                if digits.endIndex == bytes.count || !isWord(bytes[digits.endIndex]) {
                    for place in digits.indices { bytes[place] = replaced(bytes[place]) }
                }
                index = max(index + 1, digits.endIndex)
            } else {
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func replaced(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "9")
            ? UInt8(ascii: "a")
            : byte == UInt8(ascii: "f")
                ? UInt8(ascii: "0") : byte == UInt8(ascii: "F") ? UInt8(ascii: "1") : byte + 1
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$") || byte >= 0x80
    }
}
