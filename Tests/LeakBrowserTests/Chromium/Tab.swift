import Foundation
import LeakPlatform

/// A tab of the browser with its own cookies.
final class Tab: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let devTools: DevTools
    let session: String
    /// The address of the visited site, without a path.
    let site: String
    private let events = Guarded(PageEvents())

    init(_ devTools: DevTools, context: JSON, look: Look, site: String) async throws {
        self.devTools = devTools
        self.site = site
        let target = try await devTools.call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": context])["targetId"]
        let attached = try await devTools.call(
            "Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
        guard let session = attached.text else { throw Failure(description: "no session of the tab") }
        self.session = session
        let events = events
        devTools.listen(to: session) { method, parameters in
            events.with { $0.receive(method, parameters) }
            // A dialog would wait for an answer forever.
            if method == "Page.javascriptDialogOpening" {
                devTools.sendCommand("Page.handleJavaScriptDialog", ["accept": false], session: session)
            }
        }
        for domain in ["Page", "Runtime", "Log", "Audits"] { try await call("\(domain).enable") }
        try await show(look)
    }

    deinit { devTools.listen(to: session, nil) }

    @discardableResult
    func call(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await devTools.call(method, parameters, session: session)
    }

    func show(_ look: Look) async throws {
        try await call("Emulation.setScriptExecutionDisabled", ["value": JSON(!look.runsScripts)])
        try await call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": JSON(look.width), "height": JSON(look.height ?? (look.width < 600 ? 780 : 900)),
                "deviceScaleFactor": 1, "mobile": JSON(look.width < 600),
            ])
        try await call(
            "Emulation.setEmulatedMedia",
            [
                "media": look.isPrinted ? "print" : "screen",
                "features": [["name": "prefers-color-scheme", "value": look.isDark ? "dark" : "light"]],
            ])
    }

    /// Opens an address and waits until the page has loaded with its resources.
    func open(_ address: String) async throws {
        try await waitForNewPage {
            let error = try await call("Page.navigate", ["url": JSON(address)])["errorText"]
            if let words = error.text { throw Failure(description: "\(address): \(words)") }
        }
    }

    func reload() async throws {
        try await waitForNewPage { try await call("Page.reload") }
    }

    /// Goes back one page in the tab's history. Does not use `history.back()`: an expression is evaluated again if
    /// its page navigates away meanwhile, and would then go back twice.
    func goBack() async throws {
        let history = try await call("Page.getNavigationHistory")
        guard let entry = history["entries"].elements.prefix(history["currentIndex"].int ?? 0).last else {
            throw Failure(description: "no page to go back to")
        }
        try await call("Page.navigateToHistoryEntry", ["entryId": entry["id"]])
    }

    /// Runs an action that leads to another page, and waits until that page has loaded.
    func waitForNewPage(after act: () async throws -> Void) async throws {
        let before = events.with { $0.loadedDocumentCount }
        try await act()
        try await wait("a page to load") { self.events.with { $0.loadedDocumentCount } > before }
    }

    /// Waits until an expression of JavaScript is true.
    func wait(until expression: String) async throws {
        // The evaluation fails while the tab navigates to another page.
        try await wait(expression) { ((try? await self.evaluate(expression)) ?? .null).isTrue }
    }

    private func wait(_ words: String, until condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + DevTools.timeout
        while try await !condition() {
            guard ContinuousClock.now < deadline else {
                let place = try? await evaluate("location.href").text
                throw Failure(description: "timed out waiting for: \(words); at \(place ?? "?")")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Returns the value of an expression, or of its promise. Works even if the page's own scripts are disabled.
    func evaluate(_ expression: String) async throws -> JSON {
        let answer = try await answer(to: expression)
        let problem = answer["exceptionDetails"]
        guard problem == .null else {
            throw Failure(
                description: problem["exception"]["description"].text ?? problem["text"].text ?? expression)
        }
        return answer["result"]["value"]
    }

    /// Evaluates an expression. Retries for up to 60 seconds if the page navigates away during the call, because the
    /// moment of a navigation cannot be predicted.
    private func answer(to expression: String) async throws -> JSON {
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await call(
                    "Runtime.evaluate",
                    ["expression": JSON(expression), "returnByValue": true, "awaitPromise": true])
            } catch let failure as DevTools.Failure
                where Self.navigationErrorMessages.contains(where: failure.description.contains)
                && ContinuousClock.now < limit
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Messages of DevTools errors for a page that navigated away.
    private static let navigationErrorMessages = [
        "Inspected target navigated or closed", "Cannot find default execution context",
        "Execution context was destroyed",
    ]

    /// Returns the errors and warnings of the pages since the last call.
    func takeErrors() -> [String] {
        events.with { events in
            defer { events.complaints = [] }
            return events.complaints
        }
    }

    /// Waits until all events that have happened so far have been received.
    func receivePendingEvents() async throws {
        _ = try await evaluate("0")
    }
}
