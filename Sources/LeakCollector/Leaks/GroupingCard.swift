internal import LeakGrammar
internal import LeakMessage
import LeakStore

/// The card that explains why reports are grouped as one leak.
struct GroupingCard: Component {
    var leak: LeakIdentity
    var links = Links.served
    /// The leak that new reports belong to, if an older grouping rule grouped the reports of this leak.
    var successor: Successor?
    /// The sample reports of the leak.
    var sampleReports: [LeakReport] = []
    /// The effect of the rules of the app on the leak.
    var rulesNote: RulesNote?
    /// The ids of images whose functions have no names, because no symbols of them were uploaded.
    var imagesWithoutSymbols: [String] = []

    var html: HTML {
        let rule = leak.groupingKey
        let isCallStack = CallStack.titles(of: leak.stack) != nil
        let stackLabel: HTML = isCallStack ? "app functions" : "path"
        let stack: HTML? =
            rule.stack.isEmpty
            ? nil : "<div><dt>\(stackLabel)</dt><dd>\(LeakPath(rule.stack).fullPath)</dd></div>"
        let nameLabel: HTML = leak.quality == .low ? "text" : "class"
        let qualityNote: HTML =
            switch leak.quality {
            case .full: ""
            case .guessed:
                #"<p class="dim">The collector does not know this kind of message. It took the word that looks most like a class.</p>"#
            case .low:
                #"<p class="dim">The report named no class. Its text, without numbers, is used instead.</p>"#
            }
        let mangledNote: HTML =
            rule.isMangled
            ? #"<p class="dim">A mangled name could not be read and is shown as it was sent.</p>"#
            : ""
        let stackNote: HTML =
            switch (isCallStack, rule.stack.isEmpty) {
            case (false, _) where CallStack(leak.stack) != nil:
                #"""
                <p class="dim">An older grouping rule grouped these reports: that rule read the frames of a call stack as owners. \#
                \#(newReports)</p>
                """#
            case (false, _) where successor != nil:
                #"<p class="dim">An older grouping rule grouped these reports: that rule \#(oldRule). \#(newReports)</p>"#
            case (false, _): ""
            case (true, true):
                #"""
                <p class="dim">The call stack names no function of the app, so only the class is used. Send function names, or \#
                the image and the offset of each frame.</p>
                """#
            case (true, false): #"<p class="dim">Frames of the system are ignored.</p>"#
            }
        let sentence = GroupingSummary(of: leak, reports: sampleReports).sentence
        let reason: HTML = "<p>These reports are one leak: \(sentence).</p>"
        return Card(
            "Grouping (rule \(rule.version))",
            #"""
            \#(reason)<dl class="keys"><div><dt>\#(nameLabel)</dt><dd><code>\#(LongText(rule.className))</code></dd></div>\#
            \#(stack)</dl>\#(qualityNote)\#(stackNote)\#(missingSymbols)\#(mangledNote)\#
            \#(rulesNote?.html)
            """#, id: "grouping"
        ).html
    }

    /// Maximum number of images without symbols that the card lists.
    private static let maxListedImages = 3

    private var missingSymbols: HTML? {
        guard !imagesWithoutSymbols.isEmpty else { return nil }
        let shown = imagesWithoutSymbols.prefix(Self.maxListedImages).map {
            "<code>\(IsolatedText($0))</code>" as HTML
        }
        let unlistedCount = imagesWithoutSymbols.count - shown.count
        let images = HTML(shown, separator: ", ")
        let more: HTML? = unlistedCount > 0 ? " and \(Count(unlistedCount)) more" : nil
        let isOne = imagesWithoutSymbols.count == 1
        return #"""
            <p class="dim">The functions of \#(isOne ? "image" : "images") \#(images)\#(more) have no names, because no symbols were \#
            uploaded for \#(isOne ? "it" : "them"). The reports of each build may therefore become a separate leak. To upload the \#
            symbols, run <code>collector symbols upload FILE</code> on the machine that has the build.</p>
            """#
    }

    private var oldRule: HTML {
        leak.quality == .low
            ? "cut the text shorter, or did not find the class that the current rule finds in it"
            : "ignored generic arguments"
    }

    private var newReports: HTML {
        guard let successor else { return "New reports go to another leak." }
        guard let outline = successor.outline else {
            return
                "New reports will go to another leak, \(IsolatedText(successor.identity.title)), which has no reports yet."
        }
        return #"""
            New reports go to <a href="\#(links.to(.leak(outline.id)))">\#(IsolatedText(outline.title))\#
            \#(outline.groupingKey.stack.isEmpty ? "" : ", \(LeakPath(outline.groupingKey.stack).html)")</a>, which has \#
            \#(Count(outline.reports).text(noun: "report", plural: "reports")). <code>collector regroup</code> merges the two.
            """#
    }
}

/// The effect of the grouping rules of the app on a leak, and the link to them.
struct RulesNote: Component {
    enum Effect {
        /// A rule names the group of the leak.
        case named(line: Int)
        /// Later reports like the first one go to another group.
        case elsewhere(group: String, id: LeakID, exists: Bool, line: Int)
    }

    var links: Links
    var leak: LeakIdentity
    /// The version of the rules.
    var version: Int
    var effect: Effect?
    /// `true` if the reader may change rules.
    var canEdit: Bool

    var html: HTML {
        let rules: HTML =
            #"<a href="\#(links.to(.rules(leak.appKey.scope)))">the rules of the app</a> (version \#(version))"#
        let text: HTML? =
            switch effect {
            case nil: nil
            case .named(let line): "The rule in line \(line) of \(rules) names this group. "
            case .elsewhere(let group, let id, let exists, let line):
                #"""
                By the rule in line \#(line) of \#(rules), later reports go to \#
                \#(exists ? #"<a href="\#(links.to(.leak(id)))">\#(IsolatedText(group))</a>"# as HTML : "\(IsolatedText(group))"). 
                """#
            }
        let link: HTML? =
            canEdit
            ? #"<a href="\#(links.to(.rules(leak.appKey.scope, leak: leak.id)))">Group differently…</a>"#
            : nil
        return text == nil && link == nil ? "" : #"<p class="dim">\#(text)\#(link)</p>"#
    }
}

extension RulesNote {
    /// Reads the rules of the leak's app; `nil` for a leak that counts others, and in an export.
    init?(of leak: LeakIdentity, from view: StoreView) throws(StoreError) {
        guard view.links.isServed, !leak.isOverLimit else { return nil }
        let stored = try view.reader.rules(of: leak.app, limit: 1).first
        self.init(
            links: view.links, leak: leak, version: stored?.version ?? 0, effect: nil,
            canEdit: view.permissions.contains(.triage))
        guard let rules = stored.flatMap({ FingerprintRules($0) }) else { return }
        if leak.groupingKey.stack.isEmpty, leak.title == leak.groupingKey.className,
            let match = rules.rule(naming: leak.title, className: leak.className)
        {
            effect = .named(line: match.line)
        } else if let match = rules.match(FingerprintRules.Subject(leak)) {
            let id = GroupingRules.id(app: leak.appKey, rule: match)
            let target = try view.reader.target(ofMerged: id) ?? id
            guard target != leak.id else { return }
            effect = .elsewhere(
                group: match.group, id: target, exists: try view.reader.outline(of: target) != nil,
                line: match.line)
        }
    }
}
