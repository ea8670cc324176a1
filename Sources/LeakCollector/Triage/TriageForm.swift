internal import LeakPlatform
import LeakStore

/// The form to decide about a leak: one for all buttons, so that a note goes along with each.
struct TriageForm: Component {
    var context: PageContext
    var row: LeakRow
    /// Of the leak's app.
    var newestVersion: String?

    private typealias Button = DecisionFields.Button

    /// What a browser counts for `maxlength`, a unit of UTF-16, is at most so many bytes of UTF-8.
    static let bytesPerUnit = 3

    /// Versions that are offered to choose from; any other may be typed.
    private static let versionsOffered = 20

    var html: HTML {
        #"""
        <form class="triage" method="post" action="\#(context.links.to(.decisions(row.identity.id)))" \#
        aria-label="Decide about this leak" novalidate>\#
        \#(forEnter)\#(shown)<div class="actions">\#(first)\#(ignore)\#(more)</div>\#
        <div class="actions"><label for="note" class="hidden">Note</label>\#
        <textarea id="note" name="note" rows="1" maxlength="\#(Decision.noteBytes / Self.bytesPerUnit)" \#
        placeholder="Note for the history"></textarea>\#
        \#(button(.note, "Add note"))</div></form>
        """#
    }

    /// A form's first button is the one that Enter presses in any of its fields: this one has no name, so that the
    /// field that is filled in says what is meant.
    private var forEnter: HTML {
        #"<button class="hidden" tabindex="-1" aria-hidden="true">Send</button>"#
    }

    /// What `now` and `next` are said of: the app's newest version, or the leak's own last one where that is newer still.
    private var newest: String {
        guard let newestVersion, VersionOrder(newestVersion) > VersionOrder(row.lastVersion) else {
            return row.lastVersion
        }
        return newestVersion
    }

    /// Of a version without a number none is newer.
    private var isNumbered: Bool { VersionOrder(newest).isNumbered }

    /// The version that the buttons speak of, whatever is reported until one of them is pressed.
    private var shown: HTML? {
        guard isNumbered else { return nil }
        return #"<input type="hidden" name="newest" value="\#(newest)">"#
    }

    private var first: HTML {
        switch row.state {
        case .resolved: button(.reopen, "Reopen")
        case .ignored: "\(button(.reopen, "Reopen"))\(resolve)"
        case .regressed: "\(resolve)\(button(.reopen, "Reopen"))"
        case .open, .slow, .known: resolve
        }
    }

    private var resolve: HTML {
        let after: HTML = isNumbered ? ", after \(Isolated(newest))" : ""
        return button(.resolveInNextVersion, "Resolve in the next version\(after)", isMain: true)
    }

    private var ignore: HTML {
        let tomorrow = CivilDate(milliseconds: context.now + 86_400_000).text
        return #"""
            <details><summary>Ignore…</summary><div class="choices">\#
            <p>\#(button(.ignore, "Ignore for good"))</p>\#
            <p><label>until <input type="date" name="until" min="\#(tomorrow)"></label> \#
            \#(button(.ignoreUntil, "Ignore until then"))</p>\#
            <p><label>until <input type="number" name="reports" min="1" max="\#(DecisionFields.largestReports)"> \#
            more reports</label> \#(button(.ignoreReports, "Ignore until so many"))</p></div></details>
            """#
    }

    private var more: HTML {
        let versions = context.versions.prefix(Self.versionsOffered).map { version in
            #"<option value="\#(version)"></option>"# as HTML
        }
        return #"""
            <details><summary>Resolve in…</summary><div class="choices">\#
            <p>\#(button(.resolveNow, "Resolve in \(Isolated(newest))"))</p>\#
            <p><label>in <span class="hidden">version</span> <input name="in" list="versions" maxlength="64" size="10" autocomplete="off" \#
            spellcheck="false"></label> \#(button(.resolveInVersion, "Resolve in this version"))</p>\#
            <datalist id="versions">\#(versions)</datalist></div></details>
            """#
    }

    private func button(_ button: Button, _ words: HTML, isMain: Bool = false) -> HTML {
        let look: HTML = isMain ? #" class="main""# : ""
        return #"<button\#(look) name="do" value="\#(button.rawValue)">\#(words)</button>"#
    }
}
