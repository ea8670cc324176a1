import Foundation
import Testing
import LeakPlatform

/// The browser that all tests of the suite share.
final class Browser: Sendable {
    /// The browser of the tests that run now. ``ChromiumTrait`` sets it.
    @TaskLocal static var current: Browser?

    private let devTools: DevTools
    private let sharedSite = Guarded<Task<Site, any Error>?>(nil)

    init(program: String) throws {
        devTools = try DevTools(program: program)
    }

    /// Returns the site with the shop's leaks that read-only tests share. The first call creates the site.
    func shop() async throws -> Site {
        let opening = sharedSite.with { sharedSite in
            let opening = sharedSite ?? Task { try await Shop.site() }
            sharedSite = opening
            return opening
        }
        return try await opening.value
    }

    /// Ends the browser. Blocks until its process has ended. Call once.
    func stop() {
        devTools.stop()
    }

    /// Opens a tab that shares no state with other tabs, passes it to a closure, and closes it.
    ///
    /// - Parameter site: the address of the visited site, without a path.
    ///
    /// Errors and warnings of the tab's pages are recorded as issues of the test, unless the test took them with
    /// ``Tab/takeErrors()`` before.
    static func tab<Value>(
        _ look: Look = .desktop, at site: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Tab) async throws -> Value
    ) async throws -> Value {
        let browser = try #require(current, "no browser: the suite lacks .chromium")
        let context = try await browser.devTools.call("Target.createBrowserContext")["browserContextId"]
        let tab = try await Tab(browser.devTools, context: context, look: look, site: site)
        do {
            let value = try await body(tab)
            try await tab.receivePendingEvents()
            let complaints = tab.takeErrors()
            #expect(complaints == [], sourceLocation: sourceLocation)
            try await browser.close(context)
            return value
        } catch {
            let complaints = tab.takeErrors()
            if !complaints.isEmpty { Issue.record("\(complaints)", sourceLocation: sourceLocation) }
            try? await browser.close(context)
            throw error
        }
    }

    private func close(_ context: JSON) async throws {
        _ = try await devTools.call("Target.disposeBrowserContext", ["browserContextId": context])
    }
}

/// Starts Chromium before the first test of a suite and ends it after the last.
struct ChromiumTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard let program = ChromiumProcess.program else { return try await function() }
        let browser = try Browser(program: program)
        let result = await Result {
            try await Browser.$current.withValue(browser) { try await function() }
        }
        // This blocks until the process has ended, so it runs on its own thread.
        await onOwnThread { browser.stop() }
        try result.get()
    }
}

extension Trait where Self == ChromiumTrait {
    static var chromium: Self { Self() }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// Runs blocking code on a separate thread, because the thread pool of the tests has few threads.
func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}

func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
