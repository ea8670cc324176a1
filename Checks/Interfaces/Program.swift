// A program that uses each library for apps.

import LeakDetector
import LeakDetectorTesting
import LeakReporter
import RetainPaths

final class Model {}

@main struct Program {
    static func main() {
        var configuration = LeakReporter.Configuration(endpoint: "https://leaks.example.com", key: "k")
        configuration.storage = .memory
        configuration.bounds.sampleRate = 0.5
        configuration.beforeSend = { (report: LeakReport) in report }
        let reporter = LeakReporter(configuration)
        let detector = LeakDetector { reporter.record(leak: $0) }
        let explained = LeakDetector.start(.log, explainer: RetainPathFinder())
        explained.stop()
        reporter.startSession { detector.takeChecks() }
        detector.expectDeallocation(of: Model(), reason: "closed")
        let dropped: [LeakReporter.DropReason: Int] = reporter.statistics.dropped
        print(dropped)
    }
}

func testModel() {
    expectNoLeaks { _ = $0.track(Model()) }
}
