import Testing

extension Tab {
    /// Expects that the elements that a selector finds have these texts, in this order.
    func expect(
        _ selector: String, reads words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await texts(of: selector)
        let place = try await path
        #expect(found == words, "\(selector) at \(place)", sourceLocation: sourceLocation)
    }

    /// Expects that the page that is shown has this path and query.
    func expect(path: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let found = try await self.path
        #expect(found == path, sourceLocation: sourceLocation)
    }

    /// Returns the text of the first element that a selector finds, as a person reads it: white space becomes one
    /// space, and hidden text is left out.
    func text(of selector: String) async throws -> String? {
        try await evaluate(
            "document.querySelector(\(Self.quoted(selector)))?.innerText.replace(/\\s+/g, ' ').trim()"
        ).text
    }

    /// Returns the text of every element that a selector finds.
    func texts(of selector: String) async throws -> [String] {
        try await evaluate(
            "[...document.querySelectorAll(\(Self.quoted(selector)))].map(it => it.innerText.replace(/\\s+/g, ' ').trim())"
        ).elements.compactMap(\.text)
    }

    func count(_ selector: String) async throws -> Int {
        try await evaluate("document.querySelectorAll(\(Self.quoted(selector))).length").int ?? 0
    }

    /// Path and query of the page that is shown.
    var path: String {
        get async throws { try await evaluate("location.pathname + location.search").text ?? "" }
    }

    /// Number of pixels by which the page is wider than the window.
    var overflow: Int {
        get async throws {
            try await evaluate(
                "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
            ).int ?? 0
        }
    }

    /// Markup around the innermost elements that make the page wider than the window; empty if the page is not wider.
    var overflowingElements: [String] {
        get async throws {
            guard try await overflow > 0 else { return [] }
            return try await evaluate(
                """
                [...document.body.querySelectorAll('*')].filter(it =>
                    it.getBoundingClientRect().right > document.documentElement.clientWidth
                    && !it.closest('.scroll') && ![...it.children].some(child =>
                        child.getBoundingClientRect().right > document.documentElement.clientWidth))
                    .map(it => it.parentElement.outerHTML.slice(0, 200))
                """
            ).elements.compactMap(\.text)
        }
    }
}
