import Gzip
import LeakDetector
import LeakReporter

final class Model {}

@main
struct SampleApp {
    static func main() {
        var configuration = LeakReporter.Configuration(
            endpoint: "https://leaks.example.com", key: "INGEST-KEY")
        configuration.storage = .memory
        // A type of LeakMessage, which comes with LeakReporter.
        configuration.beforeSend = { (report: LeakReport) in report.message == nil ? report : nil }
        let reporter = LeakReporter(configuration)
        let detector = LeakDetector.start(.report(reporter.record(leak:)))
        reporter.startSession(checks: { detector.takeChecks() })
        detector.expectDeallocation(of: Model(), reason: "screen closed")
        print(Gzip.name)
    }
}
