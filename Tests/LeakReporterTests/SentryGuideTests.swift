import Foundation
import Testing

// Stand-ins for the types of sentry-cocoa that the example uses.
private final class Options {
    var dsn: String?
}

private enum Level { case warning }

private struct SentryMessage {
    let formatted: String
}

private final class Event {
    let level: Level
    var message: SentryMessage?
    var context: [String: [String: Any]]?

    init(level: Level) { self.level = level }
}

private final class SentryClient {
    private(set) var events: [Event] = []

    init?(options: Options) {
        guard options.dsn != nil else { return nil }
    }

    func capture(event: Event) { events.append(event) }
}

/// Compiles the Swift lines of docs/SENTRY.md unchanged, with stand-ins for the SDK.
@Suite struct SentryGuideTests {
    @Test func `the guide's example captures an event with the leak`() throws {
        let options = Options()
        options.dsn = "https://KEY@leaks.example.com/1"
        let leaks = SentryClient(options: options)

        func report(_ leaked: String, in stack: [String]) {
            let event = Event(level: .warning)
            event.message = SentryMessage(formatted: "\(leaked) is still in memory")
            event.context = ["leak": ["class": leaked, "kind": "view_controller", "stack": stack]]
            leaks?.capture(event: event)
        }

        report("Shop.CartController", in: ["UINavigationController", "Shop.CartController"])
        let event = try #require(leaks?.events.first)
        #expect(event.message?.formatted == "Shop.CartController is still in memory")
        #expect(event.context?["leak"]?["class"] as? String == "Shop.CartController")
    }

    @Test func `each Swift line of the guide to Sentry is compiled`() throws {
        let here = URL(fileURLWithPath: #filePath)
        let top = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let code = try String(contentsOf: here, encoding: .utf8)
        let page = try String(contentsOf: top.appendingPathComponent("docs/SENTRY.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```").filter { $0.hasPrefix("swift\n") }
        let lines = blocks.flatMap { $0.components(separatedBy: "\n").dropFirst() }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && $0 != "import Sentry" }
        #expect(lines.count >= 9)
        for line in lines { #expect(code.contains(line), "\(line)") }
    }
}
