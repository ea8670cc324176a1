internal import LeakPlatform
import LeakMessage
import LeakStore

/// The card of one report: time, device and version, message, breadcrumbs and custom keys.
struct ReportCard: Component {
    /// The parts of a report that the card shows.
    enum Depth {
        /// Only the parts that help to understand the leak.
        case digest
        /// The parts of ``digest``, and the path and the cycle.
        case everything
    }

    var context: PageContext
    var title: HTML
    var parsedSample: ParsedSample
    var depth = Depth.digest
    var id: String?

    var html: HTML {
        Card("\(title) · \(sender)", "\(facts)\(message)\(breadcrumbs)\(keys)\(references)\(json)", id: id)
            .html
    }

    /// Time, device, OS version and app version: `2 h ago · iPhone17,1 · iOS 19.1 · 5.2.0 (812)`.
    private var sender: HTML {
        let origin = parsedSample.sample.origin
        let parts = [origin.model, origin.system, ParsedSample.versionText(origin.version, origin.build)]
        return HTML(
            [context.relativeTime(parsedSample.sample.at).html]
                + parts.compactMap { $0 }.map { IsolatedText($0).html },
            separator: " · ")
    }

    /// The facts of the report: `dismissed · checked after 1.0 s · 3 objects of the class alive`.
    private var facts: HTML? {
        guard let report = parsedSample.report else { return nil }
        var parts: [HTML] = []
        if let time = parsedSample.implausibleDeviceTime {
            parts.append(
                "device clock: \(Self.day(time)) (counted on \(CivilDate(milliseconds: parsedSample.sample.at).text))"
            )
        }
        if report.event == .freed { parts.append("freed") }
        if let reason = report.reason { parts.append("\(IsolatedText(reason))") }
        if let waited = report.waitedMilliseconds {
            parts.append("checked after \(DurationText(milliseconds: waited))")
        }
        if let lived = report.livedMilliseconds {
            parts.append("freed after \(DurationText(milliseconds: lived))")
        }
        if let alive = report.alive {
            parts.append("\(Count(alive).text(noun: "object", plural: "objects")) of the class alive")
        }
        if report.count > 1 { parts.append("sighted \(Count(report.count)) times") }
        return parts.isEmpty ? nil : #"<p class="dim">\#(HTML(parts, separator: " · "))</p>"#
    }

    /// Returns the day of a time. A device clock can have any value, so a time outside the years 1 to 9999 becomes the
    /// nearest day inside.
    private static func day(_ milliseconds: Int64) -> String {
        CivilDate(milliseconds: max(-62_135_596_800_000, min(milliseconds, 253_402_300_799_999))).text
    }

    private var message: HTML? {
        guard let report = parsedSample.report else { return nil }
        let text: HTML? = report.message.map { #"<pre dir="auto">\#($0)</pre>"# }
        let error: HTML? = report.error.map { error in
            let entries = error.userInfo.map { Self.entry($0) }
            let info: HTML = entries.isEmpty ? "" : #"<dl class="keys">\#(entries)</dl>"#
            return "<p>Error <code>\(IsolatedText(error.domain)) \(error.code)</code></p>\(info)"
        }
        return "\(text)\(error)"
    }

    private var breadcrumbs: HTML? {
        guard let log = parsedSample.report?.log, !log.isEmpty else { return nil }
        let items = log.map { "<li>\(LongText($0))</li>" as HTML }
        return #"<h3>Breadcrumbs</h3><ol class="crumbs">\#(items)</ol>"#
    }

    private var keys: HTML? {
        guard let keys = parsedSample.report?.keys, !keys.isEmpty else { return nil }
        return #"<h3>Custom keys</h3><dl class="keys">\#(keys.map { Self.entry($0) })</dl>"#
    }

    private static func entry(_ key: CustomKey) -> HTML {
        "<div><dt>\(LongText(key.name))</dt><dd>\(LongText(key.value.displayText))</dd></div>"
    }

    private var references: HTML? {
        guard depth == .everything, let report = parsedSample.report else { return nil }
        let path: HTML? =
            report.stack.isEmpty ? nil : "<h3>Path</h3><p>\(LeakPath(report.stack).fullPath)</p>"
        let cycle: HTML? =
            report.cycle.isEmpty ? nil : "<h3>Cycle</h3><p>\(LeakPath(report.cycle).fullPath)</p>"
        return "\(path)\(cycle)"
    }

    private var json: HTML? {
        if parsedSample.report == nil { return "<pre>\(parsedSample.json)</pre>" }
        return "<details><summary>JSON</summary><pre>\(parsedSample.json)</pre></details>"
    }
}

extension CustomKey.Value {
    /// The value as text. Whole numbers have no fraction.
    var displayText: String {
        switch self {
        case .string(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .number(let number): Int(exactly: number).map(String.init) ?? String(number)
        }
    }
}
