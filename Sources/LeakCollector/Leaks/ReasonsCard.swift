internal import LeakCauses
internal import LeakMessage
import LeakStore

/// Reasons why the objects of a leak stay in memory: each path with its share, its cause and the code to write
/// instead.
struct ReasonsCard: Component {
    let reasons: LeakReasons
    let row: LeakRow
    let links: Links

    /// Maximum number of paths that are shown; the JSON has all paths.
    private static let maxListedPaths = 5

    var html: HTML {
        let paths = reasons.variants.prefix(Self.maxListedPaths).map(item)
        let otherCount =
            reasons.variants.dropFirst(Self.maxListedPaths).reduce(0) { $0 + $1.explanationCount }
            + reasons.pathlessCount
        let otherPaths: HTML? =
            otherCount == 0
            ? nil
            : "<li>\(Percentage(otherCount, of: reasons.explanationCount)) <span class=\"dim\">other paths, or no path</span></li>"
        return Card(
            "Why it stays in memory",
            #"\#(diagram)<ol class="reasons">\#(paths)\#(otherPaths)</ol>\#(cost)\#(sameCauseLink)"#,
            id: "why"
        ).html
    }

    /// The diagram of the most frequent path, if that is a complete cycle.
    private var diagram: HTML? {
        guard let path = reasons.variants.first?.path, path.isCycle, path.fullLength == nil else {
            return nil
        }
        let nodes = path.references.map { reference in
            CycleShape.Node(
                object: RetainPath.unqualified(reference.owner),
                property: reference.field.isEmpty ? nil : reference.field, isReportedObject: false)
        }
        return CycleDiagram(cycle: CycleShape(nodes: nodes)).html
    }

    private func item(_ variant: LeakReasons.Variant) -> HTML {
        let path = variant.path.description
        let isSuspected = variant.provenCount == 0
        let mark: HTML? = isSuspected ? #" <span class="dim">suspected</span>"# : nil
        return """
            <li>\(Percentage(variant.explanationCount, of: reasons.explanationCount))\(mark) \
            <code>\(LongText(path))</code>\(closures(variant))\(variant.cause.map { CauseAdvice(cause: $0, isSuspected: isSuspected).html })</li>
            """
    }

    /// Maximum number of closure sets that are shown for a path; the JSON has all sets.
    private static let maxListedClosureSets = 3

    /// Returns a list of the closures that have a name. If none has a name, because symbols are missing, returns a list of
    /// all closures as image and offset.
    private func closures(_ variant: LeakReasons.Variant) -> HTML? {
        let namedSets = variant.closureSets.filter { $0.closures.contains { $0.name != nil } }
        guard !variant.closureSets.isEmpty else { return nil }
        let items = (namedSets.isEmpty ? variant.closureSets : namedSets).prefix(Self.maxListedClosureSets)
            .map {
                set -> HTML in
                let listedClosures = namedSets.isEmpty ? set.closures : set.closures.filter { $0.name != nil }
                let names = listedClosures.map { "<code>\(LongText($0.description))</code>" as HTML }
                let share: HTML? =
                    variant.closureSets.count > 1
                    ? " \(Percentage(set.explanationCount, of: variant.explanationCount))" : nil
                return "<li>\(HTML(names, separator: ", "))\(share)</li>"
            }
        return #"<ul class="plain">\#(items)</ul>"#
    }

    /// Link to the list of leaks with the same cause.
    private var sameCauseLink: HTML? {
        guard let path = reasons.variants.first?.path else { return nil }
        let address =
            links.to(.causes(app: row.identity.appKey.scope, first: path.causeKey)) + "#" + path.causeKey
        return #"<p><a href="\#(address)">Leaks with the same cause</a></p>"#
    }

    private var cost: HTML? {
        guard let bytes = reasons.medianBytes else { return nil }
        let alive = row.maxAlive ?? 1
        let atOnce: HTML? =
            alive > 1
            ? row.retainedAtOnce.map { " \(Count(alive)) objects alive at once keep \(ByteCount($0))." } : nil
        let atLeast = reasons.lowerBoundCount > 0 ? "at least " : ""
        return """
            <p>One object keeps \(atLeast)\(ByteCount(bytes)) in memory (median).\(atOnce) \
            All objects with an explanation together keep \(ByteCount(reasons.bytes)).</p>
            """
    }
}
