import Foundation
import LeakCollector
import LeakStore
import LoadTools

/// A collector in this process, filled with a given number of leaks.
final class Shop {
    static let key = "benchmark-ingest-key-0000000000000000000"
    static let token = "benchmark-access-token-00000000000000000"

    let collector: Collector
    let store: any Store
    private let folder = NSTemporaryDirectory() + "page-bench-\(UUID().uuidString)"

    init(leaks: Int, publicFolder: String) throws {
        var settings = Settings()
        settings.port = 0
        settings.dataFolder = folder
        settings.ingestKey = Self.key
        settings.accessToken = Self.token
        settings.reportsPerSecond = 0
        let files = try PublicFolder(publicFolder, knownLeaks: nil)
        store = try Collector.openStore(settings, isServer: true)
        collector = try Collector(
            settings: settings, store: store, publicFolder: files, log: Log(format: .text))
        try collector.start()
        for start in stride(from: 0, to: leaks, by: 200) {
            try send((start..<min(start + 200, leaks)).flatMap(Self.reports))
        }
    }

    func stop() {
        collector.stop(within: .seconds(2))
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func send(_ reports: [[String: Any]]) throws {
        let file = folder + "/reports.json"
        try JSONSerialization.data(withJSONObject: reports).write(to: URL(fileURLWithPath: file))
        let answer = try Shell.run(
            "curl",
            [
                "-fsS", "-H", "Authorization: Bearer \(Self.key)", "-H", "Content-Type: application/json",
                "--data-binary", "@\(file)", "http://127.0.0.1:\(collector.port)/api/v1/reports",
            ])
        guard answer.contains(#""accepted":\#(reports.count)"#) else { throw Failure(answer) }
    }

    /// Five reports of a leak from two versions, on days spread over two weeks, with the usual content of reports.
    private static func reports(of leak: Int) -> [[String: Any]] {
        let name = "Shop.SomeFeatureDetailViewController\(leak)"
        let now = Int(Date().timeIntervalSince1970 * 1000)
        return (0..<5).map { index in
            [
                "class": name, "kind": "view_controller", "count": 1 + (leak * 31 + index * 7919) % 97,
                "stack": ["UITabBarController", "UINavigationController", name],
                "cycle": ["\(name).onDone", "closure", name],
                "app": [
                    "id": "com.acme.shop", "module": "Shop", "version": index < 3 ? "5.1.0" : "5.2.0",
                    "build": index < 3 ? "790" : "812",
                ],
                "device": ["os": "iOS", "os_version": "19.\(index)", "model": "iPhone17,\(index)"],
                "install": "install-\(leak % 89)-\(index)",
                "at": now - (1 + (leak + index * 3) % 13) * 86_400_000, "alive": 1 + index,
                "message": "VIEWCONTROLLER STILL IN MEMORY <\(name): 0x7f88acc69260>",
                "keys": ["tab": "cart", "ab_test": index], "log": ["opened the cart", "tapped Pay"],
            ]
        }
    }
}
