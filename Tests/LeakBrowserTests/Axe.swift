import Foundation

/// axe-core, which finds content that people cannot read or reach: https://github.com/dequelabs/axe-core
enum Axe {
    /// The script of axe-core. It is downloaded and not part of the repository; `nil` if it was not downloaded.
    static let script = try? String(
        contentsOf: Checkout.downloadFolder.appendingPathComponent("axe.min.js"), encoding: .utf8)
}

extension Tab {
    /// Returns the violations that axe finds on the page: one line for each broken rule, with the elements that break
    /// it.
    ///
    /// - Parameter onlyColours: `true` to apply only the rules about colours. Used for a page that was already checked
    ///   in other colours.
    func violations(onlyColours: Bool = false) async throws -> [String] {
        guard let script = Axe.script else { throw Failure(description: "axe-core was not fetched") }
        if try await evaluate("typeof axe") == "undefined" { _ = try await evaluate(script + "; 0") }
        let rules = onlyColours ? "runOnly: ['color-contrast', 'link-in-text-block'], " : ""
        return try await evaluate(
            """
            axe.run(document, {\(rules)resultTypes: ['violations']}).then(found => found.violations.map(broken =>
                `${broken.id}: ${broken.help}: ` + broken.nodes.slice(0, 5)
                    .map(node => `${node.html.slice(0, 200)} (${node.failureSummary})`).join(' | ')))
            """
        ).elements.compactMap(\.text)
    }
}
