internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The merges by hand that can be undone: of an app or of all apps, in an environment.
struct MergesResource: JSONResource {
    static let permission = Permission.read
    static let jsonPath = "/merges"
    static let jsonParameters = Request.scopeParameters

    let scope: AppScope

    init(_ request: borrowing Request, _: Parameters) { scope = request.queriedScope }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        let merges = try view.reader.manualMerges(app: scope)
        writer.array("merges") { writer in
            for merge in merges { writer.object { $0.fields(of: merge) } }
        }
    }
}

/// The page on which a person chooses the leak that another leak is merged into, and confirms it: `/merge`.
struct MergeResource: PageResource {
    static let permission = Permission.triage
    static let pagePath = "/merge"

    let leak: LeakID
    /// The id or the address that the person has entered; `nil` before that.
    let target: String?

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        guard let leak = request.query("leak").flatMap({ LeakID($0) }) else { throw .noLeak }
        self.leak = leak
        target = request.query("target").flatMap { $0.isEmpty ? nil : $0 }
    }

    func page(from view: StoreView) throws -> HTML {
        guard let source = try view.reader.leak(leak, now: view.now)?.row else { throw Problem.noLeak }
        var page = MergePage(
            context: view.context(app: source.identity.appKey.scope), source: source, typed: target ?? "")
        guard let target else { return page.html }
        guard let id = LeakID(inLink: target) else {
            page.problem = "This is neither the id of a leak nor the address of its page."
            return page.html
        }
        do throws(StoreError) {
            page.target = try MergePreview(leak, into: id, from: view.reader, now: view.now)?.target
        } catch {
            guard error.reason == .invalidArgument else { throw error }
            page.problem = "\(error.description)"
        }
        return page.html
    }
}

/// The page `/merge`: a form for the other leak, then both leaks with the button that merges them.
struct MergePage: Component {
    var context: PageContext
    var source: LeakRow
    /// The text in the field for the other leak.
    var typed: String
    /// The leak to merge into, once it is chosen.
    var target: LeakRow?
    /// The reason why the leaks cannot be merged.
    var problem: HTML?

    var html: HTML {
        PageLayout(
            title: "Merge", section: .summary, context: context,
            main: #"""
                <div class="narrow"><h1>\#(target == nil ? "Merge into another leak" : "Merge these leaks?")</h1>
                \#(target.map(confirmation) ?? choice)
                <p><a href="\#(context.links.to(.leak(source.identity.id)))">Cancel</a></p></div>
                """#
        ).html
    }

    private var choice: HTML {
        #"""
        <p>Use this if one mistake is listed as two leaks, for example because its class was renamed. The reports of this leak, \#
        and its later reports, then count for the other leak. The merge can be undone.</p>\#(table([("Merge", source)]))\#
        \#(problem.map { #"<p class="alert">\#($0)</p>"# as HTML })
        <form class="filters" action="\#(context.links.to(.mergeChoice))" aria-label="Other leak">\#
        <input type="hidden" name="leak" value="\#(source.identity.id.description)">\#
        <label>Into the leak with this id or address <input name="target" required size="40" value="\#(typed)"></label>\#
        <button>Next</button></form>
        """#
    }

    private func confirmation(_ target: LeakRow) -> HTML {
        #"""
        \#(table([("Merge", source), ("Into", target)]))
        <p>The second leak gets all reports, installs, sample reports and decisions of the first, and its later reports. The most \#
        recent decision about one of them is in force. Links to the first lead to the second. The page of the second leak can \#
        undo the merge.</p>
        <form method="post" action="\#(context.links.to(.mergeForm))">\#
        <input type="hidden" name="leak" value="\#(source.identity.id.description)">\#
        <input type="hidden" name="target" value="\#(target.identity.id.description)"><button>Merge</button></form>
        """#
    }

    private func table(_ leaks: [(heading: HTML, row: LeakRow)]) -> HTML {
        let rows = leaks.map { heading, row -> HTML in
            let leak = row.identity
            let path: HTML? = leak.stack.isEmpty ? nil : "<div>\(LeakPath(leak.stack))</div>"
            return #"""
                <tr><th scope="row">\#(heading)</th>\#
                <td><a href="\#(context.links.to(.leak(leak.id)))">\#(IsolatedText(leak.title))</a>\#(path)</td>\#
                <td class="num">\#(Count(row.reports))</td><td class="num">\#(Count(installs: row.installs))</td></tr>
                """#
        }
        return #"""
            <table class="small"><thead><tr><td></td><th scope="col">Leak</th><th scope="col" class="num">Reports</th>\#
            <th scope="col" class="num">Installs</th></tr></thead><tbody>\#(rows)</tbody></table>
            """#
    }
}

/// The leaks that were merged by hand into the leak of a page. Only the newest merge has a button that undoes it, because older
/// merges can be undone only after it.
struct MergedLeaksCard: Component {
    var context: PageContext
    /// Newest first, at least one.
    var merges: [ManualMerge]

    private var canUndo: Bool { context.links.isServed && context.permissions.contains(.triage) }

    var html: HTML {
        let order: HTML? =
            canUndo && merges.count > 1 ? #"<p class="dim">The newest merge is undone first.</p>"# : nil
        return Card(
            "Merged leaks",
            #"""
            <table class="small access"><thead><tr><th scope="col">Leak</th><th scope="col" class="num">Reports</th>\#
            <th scope="col">Merged</th><td></td></tr></thead><tbody>\#(merges.map(row))</tbody></table>\#(order)
            """#, id: "merges"
        ).html
    }

    private func row(_ merge: ManualMerge) -> HTML {
        #"""
        <tr><th scope="row">\#(IsolatedText(merge.sourceTitle))</th><td class="num">\#(Count(merge.reports))</td>\#
        <td>\#(context.relativeTime(merge.at).dayElement)<small>\#(IsolatedText(merge.by))</small></td>\#
        <td>\#(merge == merges.first ? undoForm(merge) : nil)</td></tr>
        """#
    }

    private func undoForm(_ merge: ManualMerge) -> HTML? {
        guard canUndo else { return nil }
        return #"""
            <form method="post" action="\#(context.links.to(.undoMergeForm))">\#
            <input type="hidden" name="number" value="\#(merge.number)"><button>Undo</button></form>
            """#
    }
}
