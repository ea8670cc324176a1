// A program that uses each library for apps.

import LeakDetector
import LeakDetectorTesting
import LeakReporter
import RetainPaths

final class Model {}

/// The types of the detector by their names in the module, and by their names in the class that has the module's name.
final class Owner {
    @Deallocating var model = Model()
    @LeakDetector.Deallocating var otherModel = Model()
    let watcher = LeakWatcher()
    let otherWatcher: LeakDetector.LeakWatcher = LeakWatcher()
    let explainer: (any LeakExplainer)? = RetainPathFinder()
    var sameExplainer: (any LeakDetector.LeakExplainer)? { explainer }
}

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
        Owner().watcher.expectDeallocation(of: Model())
        let dropped: [LeakReporter.DropReason: Int] = reporter.statistics.dropped
        print(dropped)
    }
}

func testModel() {
    expectNoLeaks { _ = $0.track(Model()) }
}
