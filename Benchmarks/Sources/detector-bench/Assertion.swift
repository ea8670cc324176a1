import Dispatch
import Foundation
import LeakDetector

/// Stays in memory, in the mode that stops the process for it.
enum Assertion {
    private final class Kept {}

    /// Ends with 0 if the process was not stopped within ten seconds.
    static func run() -> Never {
        let detector = LeakDetector(.assert, queue: DispatchQueue(label: "assertion"))
        let kept = Kept()
        detector.expectDeallocation(of: kept, after: 0)
        Thread.sleep(forTimeInterval: 10)
        withExtendedLifetime(kept) {}
        exit(0)
    }
}
