import Foundation
public import LeakHTTPClient
public import LeakCollector
public import LeakStore

/// A collector on a free port with an empty database, and a client that knows its secrets.
public final class RunningCollector {
    public static let key = "test-ingest-key-000000000000000000000000"
    public static let token = "test-access-token-0000000000000000000000"

    public let collector: Collector
    public let store: any Store
    public let folder = NSTemporaryDirectory() + "running-collector-\(UUID().uuidString)"
    private let client: HTTPClient

    public var port: Int { collector.port }
    public var address: String { "http://127.0.0.1:\(port)" }

    /// Starts a collector.
    ///
    /// - Parameters:
    ///   - now: returns the time in milliseconds since 1970.
    ///   - wrap: returns a store that wraps the real store.
    public init(
        _ change: (inout Settings) -> Void = { _ in }, publicFolder: String = RunningCollector.publicFolder,
        now: @escaping @Sendable () -> Int64 = WallClock.milliseconds,
        store wrap: (any Store) -> any Store = { $0 }
    ) throws {
        var settings = Settings()
        settings.port = 0
        settings.dataFolder = folder
        settings.ingestKey = Self.key
        settings.accessToken = Self.token
        change(&settings)
        let files = try PublicFolder(publicFolder, knownLeaks: settings.knownLeaksFile)
        store = wrap(try Collector.openStore(settings, isServer: true))
        collector = try Collector(
            settings: settings, store: store, publicFolder: files, log: Log(format: .text), now: now)
        try collector.start()
        var options = HTTPClient.Options()
        options.maxResponseBytes = 4 * 1024 * 1024
        options.usesProxy = false
        // A busy machine takes long for some requests, such as for a deletion of 10,000 leaks.
        (options.connectMilliseconds, options.totalMilliseconds) = (600_000, 600_000)
        client = try HTTPClient(options)
    }

    deinit {
        collector.stop(within: .seconds(2))
        try? FileManager.default.removeItem(atPath: folder)
    }

    public static let publicFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Public").path

    /// Sends a body with POST, by default to the path for reports.
    ///
    /// - Parameter fields: header fields in place of the ingest key; `nil` sends the key.
    public func post(
        _ body: String, _ type: String = "application/json", to path: String = "/api/v1/reports",
        fields: [HTTPField]? = nil
    ) throws -> HTTPResponse {
        try post(Array(body.utf8), type, to: path, fields: fields)
    }

    public func post(
        _ body: [UInt8], _ type: String = "application/json", to path: String = "/api/v1/reports",
        fields: [HTTPField]? = nil
    ) throws -> HTTPResponse {
        let given = fields ?? [HTTPField("Authorization", "Bearer \(Self.key)")]
        return try client.post(body, to: address + path, fields: given + [HTTPField("Content-Type", type)])
    }

    /// Sends a GET request.
    ///
    /// - Parameter fields: header fields in place of the access token; `nil` sends the token.
    public func get(_ path: String, fields: [HTTPField]? = nil) throws -> HTTPResponse {
        try client.get(
            address + path, fields: fields ?? [HTTPField("Authorization", "Bearer \(Self.token)")])
    }

    /// Pins a version as the current release of an app, as the form on the page of releases does.
    public func pinCurrentRelease(_ version: String, of app: String) throws -> HTTPResponse {
        try post(
            "do=pin&app=\(app)&version=\(version)", "application/x-www-form-urlencoded",
            to: "/releases/current",
            fields: [HTTPField("Authorization", "Bearer \(Self.token)")])
    }

    /// Sends a DELETE request.
    ///
    /// - Parameter fields: header fields in place of the access token; `nil` sends the token.
    public func delete(_ path: String, fields: [HTTPField]? = nil) throws -> HTTPResponse {
        try client.delete(
            address + path, fields: fields ?? [HTTPField("Authorization", "Bearer \(Self.token)")])
    }

    /// Sends the same request as the button on the page of the printed sign-in link.
    public func useSignInLink() throws -> HTTPResponse {
        let code = collector.startupInfo.signInLink.split(separator: "=").last ?? ""
        return try post("code=\(code)", "application/x-www-form-urlencoded", to: "/sign-in", fields: [])
    }

    public func json(_ path: String) throws -> [String: Any] {
        try get(path).json
    }
}

extension HTTPResponse {
    public var json: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:] }
    }

    public var text: String { String(decoding: body, as: UTF8.self) }

    public func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
