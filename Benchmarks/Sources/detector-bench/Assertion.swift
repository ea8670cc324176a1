import Dispatch
import Foundation
import LeakDetector

/// Leaks an object in the mode that stops the process.
enum Assertion {
    private final class Kept {}

    /// Exits with 0 if the mode has not stopped the process after ten seconds.
    static func run() -> Never {
        let detector = LeakDetector(.assert, queue: DispatchQueue(label: "assertion"))
        let kept = Kept()
        detector.expectDeallocation(of: kept, after: 0)
        Thread.sleep(forTimeInterval: 10)
        withExtendedLifetime(kept) {}
        exit(0)
    }
}
