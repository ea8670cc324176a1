import Foundation
import LoadTools

/// A collector for one measurement, on a free port and with an empty database.
final class CollectorProcess {
    static let key = "benchmark-ingest-key-0000000000000000000"
    static let token = "benchmark-access-token-00000000000000000"

    let folder: String
    let port: Int
    let process: ServerProcess

    /// - Parameters:
    ///   - program: the path of a release build.
    ///   - databaseURL: an empty PostgreSQL database to use instead of SQLite.
    init(program: String, publicFolder: String, databaseURL: String? = nil) throws {
        folder = NSTemporaryDirectory() + "ingest-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        process = try ServerProcess(
            program, ["serve", "--port", "0", "--data", folder, "--public", publicFolder],
            environment: [
                "COLLECTOR_INGEST_KEY": Self.key, "COLLECTOR_ACCESS_TOKEN": Self.token,
                "COLLECTOR_REPORTS_PER_SECOND": "0", "COLLECTOR_DATABASE_URL": databaseURL ?? "",
            ])
        port = try process.announcedPort()
    }

    /// Returns the number of reports that the collector has counted, from its API.
    func counted() throws -> Int {
        let text = try Shell.run(
            "curl",
            ["-fsS", "-H", "Authorization: Bearer \(Self.token)", "http://127.0.0.1:\(port)/api/v1/summary"])
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        guard let reports = json?["reports"] as? Int else {
            throw Failure("no number of reports in: \(text)")
        }
        return reports
    }

    /// Sends one small report, and returns the response with its status and header fields.
    func responseToReport() throws -> String {
        try Shell.run(
            "curl",
            [
                "-sS", "-i", "-H", "Authorization: Bearer \(Self.key)", "-H",
                "Content-Type: application/json",
                "-H", "Idempotency-Key: \(UUID().uuidString)", "-d", #"{"class":"Shop.Cart"}"#,
                "http://127.0.0.1:\(port)/api/v1/reports",
            ])
    }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
