internal import LeakMessage
internal import LeakHTTPServer
public import LeakStore

/// The ages at which data is deleted or combined, and the data of each app that the next run deletes or combines.
struct RetentionResource: JSONResource, PageResource {
    static let permission = Permission.administer
    static let (jsonPath, pagePath) = ("/retention", "/retention")
    /// The page is not cached, because few people open it.
    static let isCached = false

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(
            of: view.retention, try view.reader.retentionCounts(by: view.retention, now: view.now))
    }

    func page(from view: StoreView) throws -> HTML {
        RetentionPage(
            context: view.context(app: AppScope(nil)), rule: view.retention,
            apps: try view.reader.retentionCounts(by: view.retention, now: view.now)
        ).html
    }
}

extension JSONWriter {
    /// - Parameter apps: the apps of which the next run deletes or combines data.
    mutating func fields(of rule: RetentionRule, _ apps: [RetentionCounts]) {
        field("sample_days", rule.sampleDays ?? 0)
        field("unseen_days", rule.unseenDays ?? 0)
        field("daily_days", rule.dailyDays ?? 0)
        array("apps") { writer in
            for counts in apps {
                writer.object { writer in
                    writer.field("app", counts.app.name)
                    writer.field("environment", counts.app.environment)
                    writer.field("samples", counts.samples)
                    writer.field("leaks", counts.leaks)
                    writer.field("versions", counts.versions)
                    writer.field("days", counts.days)
                }
            }
        }
    }
}

/// The page `/retention`: which data is deleted or combined at which age, and how much of it in the next run.
struct RetentionPage: Component {
    var context: PageContext
    var rule: RetentionRule
    var apps: [RetentionCounts]

    var html: HTML {
        PageLayout(
            title: "Retention", section: .access, context: context,
            main: #"""
                <p class="crumb"><a href="\#(context.links.to(.access))">Settings</a></p>
                <h1>Retention</h1>
                <ul>\#(rule.sentences.map { "<li>\($0)</li>" as HTML })</ul>
                <h2>The next run</h2>
                <p>Once an hour the collector deletes what is too old.</p>
                \#(apps.isEmpty ? "<p>There is nothing to delete.</p>" : table)
                """#,
            footer: [#"<a href="\#(context.links.json(of: .retention))">JSON</a>"#]
        ).html
    }

    private var table: HTML {
        #"""
        <table class="small access"><thead><tr><th scope="col">App</th><th scope="col" class="num">Samples</th>\#
        <th scope="col" class="num">Leaks</th><th scope="col" class="num">Versions</th>\#
        <th scope="col" class="num">Counts by day that become counts by week</th></tr></thead>\#
        <tbody>\#(apps.map(row))</tbody></table>
        """#
    }

    private func row(_ counts: RetentionCounts) -> HTML {
        #"""
        <tr><th scope="row">\#(IsolatedText("\(counts.app)"))</th><td class="num">\#(Count(counts.samples))</td>\#
        <td class="num">\#(Count(counts.leaks))</td><td class="num">\#(Count(counts.versions))</td>\#
        <td class="num">\#(Count(counts.days))</td></tr>
        """#
    }
}

extension RetentionRule {
    /// One sentence for each setting: the data, the age at which it is deleted or combined, and the name of the setting.
    public var sentences: [String] {
        [
            sampleDays.map { "Sample reports are deleted after \($0) days (\(Setting.sampleDays.variable))." }
                ?? "Sample reports are kept forever (\(Setting.sampleDays.variable)).",
            unseenDays.map {
                "Leaks without a decision or comment, and versions, are deleted if they are not seen for \($0) days (\(Setting.unseenDays.variable))."
            } ?? "Leaks and versions are kept forever (\(Setting.unseenDays.variable)).",
            dailyDays.map {
                "Reports are counted by day for \($0) days, and by week from then on (\(Setting.dailyDays.variable))."
            } ?? "Reports are counted by day forever (\(Setting.dailyDays.variable)).",
        ]
    }
}

extension RetentionCounts {
    /// The numbers that are not 0, each with its noun.
    public var descriptions: [String] {
        [
            (samples, "sample report", "sample reports"), (leaks, "leak", "leaks"),
            (versions, "version", "versions"),
            (days, "count by day that becomes a count by week", "counts by day that become counts by week"),
        ].filter { $0.0 > 0 }.map { Count($0.0).text(noun: $0.1, plural: $0.2) }
    }
}
