internal import LeakPlatform
import LeakStore

/// The form to decide about a leak: one form for all buttons, so that each of them sends the note too.
struct TriageForm: Component {
    var context: PageContext
    var row: LeakRow
    /// The version to which a fix made now belongs: ``LeakDetail/referenceVersion``.
    var currentRelease: String?
    /// The newest build of ``currentRelease``: ``LeakDetail/referenceBuild``.
    var currentBuild: String?

    private typealias Button = DecisionFields.Button

    /// Maximum bytes of UTF-8 for one unit of UTF-16. Browsers count such units for `maxlength`.
    static let maxBytesPerUnit = 3

    /// Maximum number of versions that are offered; any other may be typed.
    private static let maxOfferedVersions = 20

    var html: HTML {
        #"""
        <form class="triage" method="post" action="\#(context.links.to(.decisions(row.identity.id)))" \#
        aria-label="Decide about this leak" novalidate>\#
        \#(enterButton)\#(newestField)<div class="actions">\#(stateButtons)\#(ignoreChoices)\#(resolveInVersion)</div>\#
        <div class="actions"><label for="note" class="hidden">Comment</label>\#
        <textarea id="note" name="note" rows="1" maxlength="\#(Decision.maxNoteBytes / Self.maxBytesPerUnit)" \#
        placeholder="Comment for the history"></textarea>\#
        \#(button(.note, "Comment"))</div></form>
        """#
    }

    /// Button that Enter presses in any field of the form, because it is the form's first button. It has no name, so that the
    /// field that is filled in determines the action.
    private var enterButton: HTML {
        #"<button class="hidden" tabindex="-1" aria-hidden="true">Send</button>"#
    }

    /// The version that `now` and `next` refer to.
    private var referenceVersion: String { currentRelease ?? row.lastVersion }

    /// `true` if ``referenceVersion`` has a number. No version counts as newer than a version without a number.
    private var isNumbered: Bool { VersionOrder(referenceVersion).isNumbered }

    /// Hidden field with the version that the buttons refer to, even if a newer version is reported before one of them is
    /// pressed.
    private var newestField: HTML? {
        guard isNumbered else { return nil }
        let build = referenceBuild.map {
            #"<input type="hidden" name="newest-build" value="\#($0)">"# as HTML
        }
        return #"<input type="hidden" name="newest" value="\#(referenceVersion)">\#(build)"#
    }

    /// The build that `now` refers to.
    private var referenceBuild: String? { currentRelease == nil ? nil : currentBuild }

    private var stateButtons: HTML {
        switch row.state {
        case .resolved: button(.reopen, "Reopen")
        case .ignored: "\(button(.reopen, "Reopen"))\(resolveButton)"
        case .regressed: "\(resolveButton)\(button(.reopen, "Reopen"))"
        case .open, .slow, .known: resolveButton
        }
    }

    private var resolveButton: HTML {
        let after: HTML = isNumbered ? " (after \(IsolatedText(referenceVersion)))" : ""
        return button(.resolveInNextVersion, "Resolve in next version\(after)", isMain: true)
    }

    private var ignoreChoices: HTML {
        let tomorrow = CivilDate(milliseconds: context.now + 86_400_000).text
        return #"""
            <details><summary>Ignore…</summary><div class="choices">\#
            <p>\#(button(.ignore, "Ignore forever"))</p>\#
            <p><label>until <input type="date" name="until" min="\#(tomorrow)"></label> \#
            \#(button(.ignoreUntil, "Ignore until this date"))</p>\#
            <p><label>for <input type="number" name="reports" min="1" max="\#(DecisionFields.maxReports)"> \#
            more reports</label> \#(button(.ignoreReports, "Ignore for this many reports"))</p></div></details>
            """#
    }

    private var resolveInVersion: HTML {
        let current = ReleaseBuild(current: referenceVersion, newestBuild: referenceBuild)
        // Shows that a build may follow the version.
        let example: HTML? = current.build.map { _ in #" placeholder="\#(current.text)""# }
        let versions = context.versions.prefix(Self.maxOfferedVersions).map { version in
            #"<option value="\#(version)"></option>"# as HTML
        }
        return #"""
            <details><summary>Resolved in…</summary><div class="choices">\#
            <p>\#(button(.resolveNow, "Resolve in \(IsolatedText(current.text))"))</p>\#
            <p><label>version <input name="in" list="versions" maxlength="\#(DecisionFields.maxReleaseBytes)" size="14" autocomplete="off" \#
            spellcheck="false"\#(example)></label> \#(button(.resolveInVersion, "Resolve"))</p>\#
            <datalist id="versions">\#(versions)</datalist></div></details>
            """#
    }

    private func button(_ button: Button, _ title: HTML, isMain: Bool = false) -> HTML {
        let styleClass: HTML = isMain ? #" class="main""# : ""
        return #"<button\#(styleClass) name="do" value="\#(button.rawValue)">\#(title)</button>"#
    }
}
