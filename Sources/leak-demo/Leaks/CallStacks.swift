import LeakMessage
import LeakReporter

/// A leak that is reported with the call stack of the code that made it. The functions of a stripped build have no names until
/// `collector symbols upload` sends the names to the collector.
@MainActor
final class PriceCache {
    private var onChange: (() -> Void)?
    private(set) var prices: [Int] = []

    /// Makes the cache keep itself alive: the closure holds the cache, which holds the closure.
    func observe() {
        onChange = { self.prices.append(self.prices.count) }
    }

    /// Creates a cache that leaks.
    ///
    /// - Returns: the report, with the stack of this call.
    @inline(never)
    static func leak() -> LeakReport {
        let cache = PriceCache()
        cache.observe()
        var report = LeakReport()
        report.className = "leak_demo.PriceCache"
        report.reason = "the shop was closed"
        report.stack = LeakReporter.callStack()
        return report
    }
}

/// A function of the app that calls the leaking function, so that the stack has several functions.
@MainActor
enum ShopWindow {
    @inline(never)
    static func close() -> LeakReport {
        let report = PriceCache.leak()
        return report
    }
}
