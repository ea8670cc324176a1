import Foundation

/// axe-core, which finds what people cannot read or reach: https://github.com/dequelabs/axe-core
enum Axe {
    /// Fetched, not kept here; `nil`: not fetched.
    static let script = try? String(
        contentsOf: Checkout.fetched.appendingPathComponent("axe.min.js"), encoding: .utf8)
}

extension Tab {
    /// What axe finds on the page: a line for each rule that is broken, with the elements that break it.
    ///
    /// - Parameter isOfColours: only by the rules that ask for colours, for a page that was looked at in other colours.
    func violations(isOfColours: Bool = false) async throws -> [String] {
        guard let script = Axe.script else { throw Failure(description: "axe-core was not fetched") }
        if try await evaluate("typeof axe") == "undefined" { _ = try await evaluate(script + "; 0") }
        let rules = isOfColours ? "runOnly: ['color-contrast', 'link-in-text-block'], " : ""
        return try await evaluate(
            """
            axe.run(document, {\(rules)resultTypes: ['violations']}).then(found => found.violations.map(broken =>
                `${broken.id}: ${broken.help}: ` + broken.nodes.slice(0, 5)
                    .map(node => `${node.html.slice(0, 200)} (${node.failureSummary})`).join(' | ')))
            """
        ).elements.compactMap(\.text)
    }
}
