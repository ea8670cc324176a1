import Foundation
import HTTPClient
import LeakStore

@testable import LeakCollector

/// A collector on a free port with an empty database, and a client that knows its secrets.
final class RunningCollector {
    static let key = "test-ingest-key-000000000000000000000000"
    static let token = "test-access-token-0000000000000000000000"

    let collector: Collector
    let store: any Store
    let folder = NSTemporaryDirectory() + "running-collector-\(UUID().uuidString)"
    private let client: CurlClient

    var address: String { "http://127.0.0.1:\(collector.port)" }

    /// - Parameter wrap: puts a store around the real one.
    init(
        _ change: (inout Settings) -> Void = { _ in }, publicFolder: String = RunningCollector.publicFolder,
        store wrap: (any Store) -> any Store = { $0 }
    ) throws {
        var settings = Settings()
        settings.port = 0
        settings.dataFolder = folder
        settings.ingestKey = Self.key
        settings.accessToken = Self.token
        change(&settings)
        let files = try PublicFolder(publicFolder, knownLeaks: settings.knownLeaksFile)
        store = wrap(try Collector.openStore(folder: folder, isServer: true))
        collector = try Collector(
            settings: settings, store: store, publicFolder: files, log: Log(form: .text))
        try collector.start()
        var options = CurlClient.Options()
        options.answerBytes = 4 * 1024 * 1024
        options.usesProxy = false
        client = try CurlClient(options)
    }

    deinit {
        collector.stop(within: .seconds(2))
        try? FileManager.default.removeItem(atPath: folder)
    }

    static let publicFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Public").path

    /// - Parameter fields: in place of the ingest key; `nil` sends the key.
    func post(
        _ body: String, _ type: String = "application/json", to path: String = "/api/v1/reports",
        fields: [HTTPField]? = nil
    ) throws -> HTTPAnswer {
        try post(Array(body.utf8), type, to: path, fields: fields)
    }

    func post(
        _ body: [UInt8], _ type: String = "application/json", to path: String = "/api/v1/reports",
        fields: [HTTPField]? = nil
    ) throws -> HTTPAnswer {
        let given = fields ?? [HTTPField("Authorization", "Bearer \(Self.key)")]
        return try client.post(body, to: address + path, fields: given + [HTTPField("Content-Type", type)])
    }

    /// - Parameter fields: in place of the access token; `nil` sends the token.
    func get(_ path: String, fields: [HTTPField]? = nil) throws -> HTTPAnswer {
        try client.get(
            address + path, fields: fields ?? [HTTPField("Authorization", "Bearer \(Self.token)")])
    }

    func json(_ path: String) throws -> [String: Any] {
        try get(path).json
    }
}

extension HTTPAnswer {
    var json: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:] }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
