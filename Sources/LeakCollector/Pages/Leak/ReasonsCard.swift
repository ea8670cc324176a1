internal import LeakMessage

/// What keeps the objects of a leak: each path with its share, the mistake behind it and what to write instead.
struct ReasonsCard: Component {
    let reasons: LeakReasons

    /// Paths that are shown; the others are in the JSON.
    private static let shown = 5

    var html: HTML {
        let paths = reasons.variants.prefix(Self.shown).map(item)
        let others = reasons.variants.dropFirst(Self.shown).reduce(0) { $0 + $1.count } + reasons.withoutPath
        let rest: HTML? =
            others == 0
            ? nil
            : "<li>\(Percentage(others, of: reasons.count)) <span class=\"muted\">other or no path</span></li>"
        return Card(
            "Why it stays", #"\#(drawing)<ol class="reasons">\#(paths)\#(rest)</ol>\#(cost)"#, id: "why"
        ).html
    }

    /// The most frequent path, where it is a cycle.
    private var drawing: HTML? {
        guard let path = reasons.variants.first?.path, path.isCycle, path.fullLength == nil else {
            return nil
        }
        let links = path.references.map { reference in
            CycleShape.Link(
                object: RetainPath.unqualified(reference.owner),
                property: reference.field.isEmpty ? nil : reference.field, isLeak: false)
        }
        return CycleDrawing(cycle: CycleShape(links: links)).html
    }

    private func item(_ variant: LeakReasons.Variant) -> HTML {
        let path = variant.path.description
        let isSuspected = variant.provenCount == 0
        let mark: HTML? = isSuspected ? #" <span class="muted">suspected</span>"# : nil
        return """
            <li>\(Percentage(variant.count, of: reasons.count))\(mark) \
            <code>\(LongText(path))</code>\(LeakCause(of: variant.path).map { advice($0, isSuspected) })</li>
            """
    }

    private func advice(_ cause: LeakCause, _ isSuspected: Bool) -> HTML {
        let certainty: HTML? = cause.isCertain && !isSuspected ? nil : "Probably: "
        return """
            <p>\(certainty)<b>\(cause.name).</b> \(cause.explanation)</p>\
            <details><summary>What to write instead</summary><pre>\(cause.remedy)</pre></details>
            """
    }

    private var cost: HTML? {
        guard let bytes = reasons.medianBytes else { return nil }
        return
            "<p>Keeps \(ByteCount(bytes)) each (median), \(ByteCount(reasons.bytes)) in all that were explained.</p>"
    }
}

/// `512 bytes`, `14.2 KB`, `3.1 MB`, rounded down to tenths.
struct ByteCount: Component, CustomStringConvertible {
    var bytes: Int

    init(_ bytes: Int) { self.bytes = bytes }

    var description: String {
        switch bytes {
        case ..<1_000: Count(bytes).of("byte", "bytes")
        case ..<1_000_000: "\(Decimal(tenths: bytes / 100))\u{A0}KB"
        case ..<1_000_000_000: "\(Decimal(tenths: bytes / 100_000))\u{A0}MB"
        default: "\(Decimal(tenths: bytes / 100_000_000))\u{A0}GB"
        }
    }
}
