import Foundation
import LeakMessage
import LeakReporter

/// Reports of leaked screens, as LeakDetector makes them: about 400 bytes of JSON each.
public enum Reports {
    public static func leak(_ number: Int) -> LeakReport {
        var report = LeakReport()
        report.event = .leak
        report.kind = .viewController
        report.className = "Shop.CheckoutViewController\(number)"
        report.stack = [
            "UITabBarController", "UINavigationController", "Shop.CheckoutViewController\(number)",
        ]
        report.reason = "dismissed"
        report.waitedMilliseconds = 1_000
        report.alive = 3
        report.keys = [CustomKey("tab", .string("cart")), CustomKey("ab_test", .number(2))]
        report.log = ["opened cart", "tapped pay"]
        return report
    }

    public static func leaks(_ count: Int) -> [LeakReport] { (0..<count).map(leak) }
}

/// A reporter with a separate folder, which is deleted when this object is freed.
public final class Bench {
    public let folder = NSTemporaryDirectory() + "/reporter-bench-" + UUID().uuidString
    public let reporter: LeakReporter

    public init(
        port: Int, isInMemory: Bool = false, _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
    ) {
        var configuration = LeakReporter.Configuration(
            endpoint: "http://127.0.0.1:\(port)", key: "a-key-of-forty-characters-000000000000000",
            app: .init(id: "com.acme.shop", module: "Shop", version: "5.2.0", build: "812"),
            install: .given("bench"))
        configuration.storage = isInMemory ? .memory : .folder(folder)
        configuration.bounds.reportsPerSession = .max
        configuration.bounds.bytesPerDay = .max
        configuration.bounds.memoryBytes = 256 * 1024 * 1024
        configuration.bounds.diskBytes = 256 * 1024 * 1024
        change(&configuration)
        reporter = LeakReporter(configuration)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Waits until all recorded reports are stored, on the disk or in memory.
    public func waitUntilStored() {
        let isDone = DispatchSemaphore(value: 0)
        reporter.checkForUnsentReports { _ in isDone.signal() }
        isDone.wait()
    }
}
