internal import LeakMessage
import LeakStore

/// The causes of the leaks of an app, each with its leaks: `/causes`.
struct CausesPage: Component {
    var context: PageContext
    var found: SharedCauses

    /// Key of the cause to show first.
    var first: String?

    /// Maximum number of causes on the page. The JSON has more.
    private static let causesShown = 50
    /// Maximum number of leaks per cause on the page. The JSON has more.
    private static let leaksShown = 10

    var html: HTML {
        let causes = found.causes.prefix(Self.causesShown).map(card)
        return PageLayout(
            title: "Causes", section: .causes, context: context, isLive: true,
            main: #"""
                <p class="crumb">\#(app)</p>
                <div class="head"><h1>\#(title)</h1></div>
                \#(found.causes.isEmpty ? empty : intro)\#(missing)
                \#(causes)\#(rest)
                """#,
            footer: [
                #"<a href="\#(context.links.json(of: .causes(app: context.query.scope)))">JSON</a>"#
            ]
        ).html
    }

    private var app: HTML {
        #"<a href="\#(context.links.to(.summary(app: context.query.scope)))">\#(IsolatedText(context.query.app ?? "all apps"))</a>"#
    }

    private var title: HTML {
        guard !found.causes.isEmpty else { return "Causes" }
        return
            "\(Count(found.explainedLeakCount).of("leak", "leaks")), \(Count(found.causeCount).of("cause", "causes"))"
    }

    private var intro: HTML {
        let coverage: HTML? =
            found.leakCount < found.totalLeakCount
            ? " This page covers the \(Count(found.leakCount)) of \(Count(found.totalLeakCount)) leaks to fix that keep the most memory."
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
    private var missing: HTML? {
        guard let first, !found.causes.contains(where: { $0.path.causeKey == first }) else { return nil }
        return
            "<p>The cause from the link is not on this page. Its leaks may be resolved or ignored, or beyond the limits of this page.</p>"
    }

    private var rest: HTML? {
        let others = found.causeCount - Self.causesShown
        guard others > 0 else { return nil }
        let jsonNote =
            found.causes.count > Self.causesShown
            ? "; the JSON has the first \(Count(found.causes.count)) causes" : ""
        return #"<p class="dim">\#(Count(others).of("more cause", "more causes"))\#(jsonNote).</p>"#
    }

    private func card(_ cause: SharedCauses.Cause) -> HTML {
        let suspected: HTML? = cause.provenCount == 0 ? #" · <span class="dim">suspected</span>"# : nil
        let bytes: HTML? = cause.bytes.map { " · \(ByteCount($0)) in memory on all installs" }
        let leaks = cause.leaks.prefix(Self.leaksShown).map { leak($0.row) }
        let others = cause.leaks.count - Self.leaksShown
        let more: HTML? = others > 0 ? "<li>and \(Count(others)) more</li>" : nil
        let advice = cause.mistake.map {
            CauseAdvice(cause: $0, isSuspected: cause.provenCount == 0).html
        }
        return Card(
            "\(IsolatedText(cause.title))",
            #"""
            <p>\#(Count(cause.leaks.count).of("leak", "leaks"))\#(bytes)\#(suspected)</p>
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
            <span class="dim">\#(Count(row.installs).of("install", "installs"))\#(bytes)</span></li>
            """#
    }
}
