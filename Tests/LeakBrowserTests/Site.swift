import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakCollector
import LeakStore
import Testing
import LeakPlatform

/// A running collector with an empty store. Tests send it batches and open its pages.
final class Site: Sendable {
    let address: String
    /// The sign-in link of the collector, which works once.
    let signInLink: String
    /// The collector. Its calls block, so each is made on its own thread.
    private let running: Guarded<RunningCollector>

    /// Starts a collector.
    ///
    /// - Parameter batches: batches that are sent to it, one after the other.
    init(_ batches: [JSON] = []) async throws {
        let running = try await onOwnThread { try Guarded(RunningCollector()) }
        self.running = running
        let port = running.with { $0.port }
        address = "http://127.0.0.1:\(port)"
        let link = running.with { $0.collector.startupInfo.signInLink }
        // The link names the host that people use. Tests use the address that the server is bound to.
        signInLink = try address + "/sign-in" + #require(link.split(separator: "/sign-in").last)
        for batch in batches { try await send(batch) }
    }

    /// Sends a batch. The collector has counted it when this function returns.
    ///
    /// - Parameter key: the ingest key; the default is the key that the collector was started with.
    func send(
        _ batch: JSON, key: String = RunningCollector.key, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await post(batch, key: key)
        let problems = try JSON(parsing: Data(answer.body))["rejected"].elements
        try #require(
            answer.status == 200 && problems.isEmpty, "\(answer.text)", sourceLocation: sourceLocation)
    }

    /// Returns the status of the response to a batch.
    func status(of batch: JSON, key: String) async throws -> Int {
        try await post(batch, key: key).status
    }

    private func post(_ batch: JSON, key: String) async throws -> HTTPResponse {
        let body = Array(try batch.bytes)
        return try await onOwnThread { [running] in
            try running.with {
                try $0.post(
                    body, "application/json", fields: [HTTPField("Authorization", "Bearer \(key)")])
            }
        }
    }

    /// Requests a page of the site without a secret, as a chat app does for a preview.
    func preview(at address: String) async throws {
        let path = String(address.dropFirst(self.address.count))
        _ = try await onOwnThread { [running] in try running.with { try $0.get(path, fields: []) } }
    }

    /// Returns the JSON response of the API at a path.
    func json(_ path: String) async throws -> JSON {
        let text = try await onOwnThread { [running] in try running.with { try $0.get(path).text } }
        return try JSON(parsing: Data(text.utf8))
    }

    /// Sends the API a decision about the first leak that a search finds.
    func decide(_ search: String, _ decision: JSON) async throws {
        let path = "/api/v1/leaks/\(try await leakID(matching: search))/decisions"
        let body = Array(try decision.bytes)
        let answer = try await onOwnThread { [running] in
            try running.with {
                try $0.post(
                    body, "application/json", to: path,
                    fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
            }
        }
        try #require(answer.status < 300, "\(answer.text)")
    }

    /// Returns a text encoded for a query.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Returns the id of the first leak that a search finds, in any state.
    func leakID(matching search: String) async throws -> String {
        let leaks = try await json("/api/v1/leaks?state=any&sort=reports&q=\(Self.encoded(search))")["leaks"]
            .elements
        return try #require(leaks.first?["id"].text, "no leak for \(search)")
    }

    /// Gives the tab the cookie of a signed-in browser.
    func signIn(_ tab: Tab) async throws {
        let cookie = try await onOwnThread { [running] in
            try running.with { running in
                try running.post(
                    "token=\(RunningCollector.token)", "application/x-www-form-urlencoded", to: "/sign-in",
                    fields: []
                ).field("Set-Cookie")
            }
        }
        let pair = try #require(cookie?.split(separator: ";").first).split(separator: "=", maxSplits: 1)
        try await tab.call(
            "Network.setCookie",
            ["name": JSON(String(pair[0])), "value": JSON(String(pair[1])), "url": JSON(address)])
    }

    /// Exports the pages as files.
    func export(to folder: String) async throws {
        try await onOwnThread { [running] in
            try running.with { running in
                let files = try PublicFolder(RunningCollector.publicFolder, knownLeaks: nil)
                _ = try Export(store: running.store, publicFolder: files).write(to: folder, app: nil)
            }
        }
    }

    /// Opens a tab that is signed in to this site, and passes it to `body`.
    func visit<Value>(
        _ look: Look = .desktop, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (Tab) async throws -> Value
    ) async throws -> Value {
        try await Browser.tab(look, at: address, sourceLocation: sourceLocation) { tab in
            try await signIn(tab)
            return try await body(tab)
        }
    }
}
