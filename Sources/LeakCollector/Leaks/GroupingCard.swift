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
            \#(stack)</dl>\#(qualityNote)\#(stackNote)\#(missingSymbols)\#(mangledNote)
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
