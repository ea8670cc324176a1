internal import LeakCauses
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The causes of the leaks to fix, each with its leaks.
struct CausesResource: JSONResource, PageResource {
    static let permission = Permission.read
    static let (jsonPath, pagePath) = ("/causes", "/causes")
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope
    /// The ``LeakMessage/RetainPath/causeKey`` of the cause to show first on the page.
    let firstCauseKey: String?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        scope = request.queriedScope
        // Ignores texts that cannot be a cause key. Otherwise each such text would be another page in the page cache.
        firstCauseKey = request.query("first").flatMap {
            $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit) ? $0 : nil
        }
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let sharedCauses = try SharedCauses(
            app: scope, from: view.reader, symbolTables: view.symbolTables, now: view.now)
        writer.fields(of: sharedCauses, app: scope)
    }

    func page(from view: StoreView) throws -> HTML {
        let sharedCauses = try SharedCauses(
            app: scope, first: firstCauseKey, from: view.reader, symbolTables: view.symbolTables,
            now: view.now)
        return CausesPage(
            context: try view.contextWithEnvironments(app: scope), sharedCauses: sharedCauses,
            firstCauseKey: firstCauseKey
        ).html
    }
}

/// The causes of the leaks of an app, each with its leaks: `/causes`.
struct CausesPage: Component {
    var context: PageContext
    var sharedCauses: SharedCauses

    /// Key of the cause to show first.
    var firstCauseKey: String?

    /// Maximum number of causes on the page. The JSON has more.
    private static let maxListedCauses = 50
    /// Maximum number of leaks per cause on the page. The JSON has more.
    private static let maxListedLeaks = 10

    var html: HTML {
        let causes = sharedCauses.causes.prefix(Self.maxListedCauses).map(card)
        return PageLayout(
            title: "Causes", section: .causes, context: context, isLive: true,
            main: #"""
                <p class="crumb">\#(appLink)</p>
                <div class="head"><h1>\#(title)</h1></div>\#(EnvironmentForm(context: context, target: .causes(app: nil)))
                \#(sharedCauses.causes.isEmpty ? empty : intro)\#(missingCauseNote)
                \#(causes)\#(unlistedCauses)
                """#,
            footer: [
                #"<a href="\#(context.links.json(of: .causes(app: context.query.scope)))">JSON</a>"#
            ]
        ).html
    }

    private var appLink: HTML {
        #"<a href="\#(context.links.to(.summary(app: context.query.scope)))">\#(IsolatedText(context.query.app ?? "all apps"))</a>"#
    }

    private var title: HTML {
        guard !sharedCauses.causes.isEmpty else { return "Causes" }
        let causes = Count(sharedCauses.causeCount).text(noun: "cause", plural: "causes")
        if sharedCauses.causeCount == sharedCauses.explainedLeakCount {
            return sharedCauses.causeCount == 1 ? "\(causes)" : "\(causes), each with one leak"
        }
        return
            "\(Count(sharedCauses.explainedLeakCount).text(noun: "leak", plural: "leaks")), \(causes)"
    }

    private var intro: HTML {
        let coverage: HTML? =
            sharedCauses.leakCount < sharedCauses.totalLeakCount
            ? " This page covers the \(Count(sharedCauses.leakCount)) of \(Count(sharedCauses.totalLeakCount)) leaks to fix that keep the most memory."
            : nil
        return """
            <p class="dim">Leaks have the same cause if they have the same cycle, or if the same property holds their objects. \
            Causes that keep the most memory on all installs come first.\(coverage)</p>
            """
    }

    private var empty: HTML {
        """
        <p>No leak to fix has a retain path yet. To get retain paths with the reports, start the detector in the app with a \
        <code>RetainPathFinder</code>.</p>
        """
    }

    /// Message if the page does not contain the cause from the link. The leaks with that cause may be resolved or
    /// ignored, or beyond the limits of ``SharedCauses``.
    private var missingCauseNote: HTML? {
        guard let firstCauseKey, !sharedCauses.causes.contains(where: { $0.path.causeKey == firstCauseKey })
        else { return nil }
        return
            "<p>The cause from the link is not on this page. Its leaks may be resolved or ignored, or beyond the limits of this page.</p>"
    }

    private var unlistedCauses: HTML? {
        let unlistedCount = sharedCauses.causeCount - Self.maxListedCauses
        guard unlistedCount > 0 else { return nil }
        let jsonNote =
            sharedCauses.causes.count > Self.maxListedCauses
            ? "; the JSON has the first \(Count(sharedCauses.causes.count)) causes" : ""
        return
            #"<p class="dim">\#(Count(unlistedCount).text(noun: "more cause", plural: "more causes"))\#(jsonNote).</p>"#
    }

    private func card(_ cause: SharedCauses.Cause) -> HTML {
        let suspected: HTML? = cause.provenCount == 0 ? #" · <span class="dim">suspected</span>"# : nil
        let bytes: HTML? = cause.bytes.map { " · \(ByteCount($0)) of memory, all installs together" }
        let leaks = cause.leaks.prefix(Self.maxListedLeaks).map { leak($0.row) }
        let unlistedCount = cause.leaks.count - Self.maxListedLeaks
        let more: HTML? = unlistedCount > 0 ? "<li>and \(Count(unlistedCount)) more</li>" : nil
        let advice = cause.mistake.map {
            CauseAdvice(cause: $0, isSuspected: cause.provenCount == 0).html
        }
        return Card(
            "\(IsolatedText(cause.title))",
            #"""
            <p>\#(Count(cause.leaks.count).text(noun: "leak", plural: "leaks"))\#(bytes)\#(suspected)</p>
            <p><code>\#(LongText(cause.path.description))</code></p>\#(advice)<ul class="reasons">\#(leaks)\#(more)</ul>
            """#, id: cause.path.causeKey
        ).html
    }

    private func leak(_ row: LeakRow) -> HTML {
        let app: HTML? =
            context.query.app == nil ? #" <span class="dim">\#(IsolatedText(row.identity.app))</span>"# : nil
        let bytes: HTML? = row.retainedAtOnce.map { ", keeps \(ByteCount($0)) in memory" }
        return #"""
            <li><a href="\#(context.links.to(.leak(row.identity.id)))">\#(IsolatedText(row.identity.title))</a>\#(app) \#
            <span class="dim">\#(Count(installs: row.installs).text(noun: "install", plural: "installs"))\#(bytes)</span></li>
            """#
    }
}
