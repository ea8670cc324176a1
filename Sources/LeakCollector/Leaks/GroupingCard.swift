internal import LeakGrammar
internal import LeakMessage
import LeakStore

/// Why these reports are one leak.
struct GroupingCard: Component {
    var leak: LeakIdentity
    var links = Links.served
    /// Where new reports go, for a leak of an older rule.
    var successor: Successor?
    /// Kept ones.
    var reports: [LeakReport] = []
    /// The ids of images whose functions have no names, because no symbols of them were uploaded.
    var imagesWithoutSymbols: [String] = []

    var html: HTML {
        let rule = leak.groupedBy
        let isCallStack = CallStack.titles(of: leak.stack) != nil
        let stackName: HTML = isCallStack ? "calls" : "stack"
        let stack: HTML? =
            rule.stack.isEmpty
            ? nil : "<div><dt>\(stackName)</dt><dd>\(LeakPath(rule.stack).whole)</dd></div>"
        let name: HTML = leak.quality == .low ? "text" : "class"
        let note: HTML =
            switch leak.quality {
            case .full: ""
            case .guessed:
                #"<p class="dim">The report's text is of no known form: the class is the word that looks most like one.</p>"#
            case .low:
                #"<p class="dim">The report named no class: its text, with numbers masked, stands for one.</p>"#
            }
        let mangled: HTML =
            rule.isMangled
            ? #"<p class="dim">A name is mangled in a way that could not be read; it stands as it came.</p>"#
            : ""
        let calls: HTML =
            switch (isCallStack, rule.stack.isEmpty) {
            case (false, _) where CallStack(leak.stack) != nil:
                #"""
                <p class="dim">An older rule made this leak: it took the frames of a call stack for owners. \#(newReports)</p>
                """#
            case (false, _) where successor != nil:
                #"<p class="dim">An older rule made this leak, which \#(oldRule). \#(newReports)</p>"#
            case (false, _): ""
            case (true, true):
                #"""
                <p class="dim">The call stack names no function of the app: the class alone decides. Send function names, or \#
                the image and the offset of each frame.</p>
                """#
            case (true, false): #"<p class="dim">Frames of the system do not count.</p>"#
            }
        let ground = CommonGround(of: leak, reports: reports).sentence
        let reason: HTML = "<p>One leak because: \(ground).</p>"
        return Card(
            "Grouped by, rule \(rule.version)",
            #"""
            \#(reason)<dl class="keys"><div><dt>\#(name)</dt><dd><code>\#(LongText(rule.className))</code></dd></div>\#
            \#(stack)</dl>\#(note)\#(calls)\#(symbols)\#(mangled)
            """#, id: "grouping"
        ).html
    }

    /// Images that a note names.
    private static let imagesShown = 3

    private var symbols: HTML? {
        guard !imagesWithoutSymbols.isEmpty else { return nil }
        let shown = imagesWithoutSymbols.prefix(Self.imagesShown).map {
            "<code>\(Isolated($0))</code>" as HTML
        }
        let rest = imagesWithoutSymbols.count - shown.count
        let images = HTML(shown, separator: ", ")
        let more: HTML? = rest > 0 ? " and \(Count(rest)) more" : nil
        return #"""
            <p class="dim">The functions of image \#(images)\#(more) have no names: no symbols were uploaded for it, so each \#
            build may be a leak of its own. Where the build is, <code>collector symbols upload FILE</code> sends them.</p>
            """#
    }

    private var oldRule: HTML {
        leak.quality == .low
            ? "took a shorter text, or a text in which a class is found now"
            : "left generic arguments out"
    }

    private var newReports: HTML {
        guard let successor else { return "New reports go to another leak." }
        guard let outline = successor.outline else {
            return
                "New reports will go to another leak, \(Isolated(successor.identity.title)), which has none so far."
        }
        return #"""
            New reports go to <a href="\#(links.to(.leak(outline.id)))">\#(Isolated(outline.title))\#
            \#(outline.groupedBy.stack.isEmpty ? "" : ", \(LeakPath(outline.groupedBy.stack).html)")</a>, which has \#
            \#(Count(outline.reports).of("report", "reports")). <code>collector regroup</code> merges the two.
            """#
    }
}
