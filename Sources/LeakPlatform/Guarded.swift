/// A value that only one thread at a time can access. Threads can wait until the value changes.
///
/// `with` blocks until the value is free. Do not call `with` of the same instance from inside `with`: it deadlocks.
public final class Guarded<Value: ~Copyable>: @unchecked Sendable {
    // `Sendable` is unchecked: `value` is accessed only while `monitor` is locked.
    private var value: Value
    private let monitor = Monitor()

    /// The decision of a waiting thread after it has checked the value.
    public enum WaitDecision<Result> {
        /// End the wait with this result.
        case take(Result)
        /// Check again after ``wakeAll()``, and after `milliseconds` at the latest; `nil` for no limit.
        case sleep(milliseconds: Int64?)
    }

    public init(_ value: consuming sending Value) {
        self.value = value
    }

    /// Runs `body` with exclusive access to the value.
    public func with<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        monitor.lock()
        defer { monitor.unlock() }
        return try body(&value)
    }

    /// Runs `body` with exclusive access to the value, and again after each sleep that `body` asks for.
    ///
    /// - Returns: the result of ``WaitDecision/take(_:)``.
    public func wait<Result>(for body: (inout sending Value) -> sending WaitDecision<Result>)
        -> sending Result
    {
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            switch body(&value) {
            case .take(let result): return result
            case .sleep(let milliseconds): monitor.wait(milliseconds: milliseconds)
            }
        }
    }

    /// Waits until `body` gives a result. Calls `body` again each time another thread calls ``wakeAll()``.
    ///
    /// - Parameters:
    ///   - milliseconds: the maximum wait; `nil` waits without limit. A change of the wall clock has no effect.
    ///   - body: called with exclusive access to the value; returns `nil` to wait longer.
    /// - Returns: the result of `body`, or `nil` if it gave none within the maximum wait.
    public func wait<Result>(
        milliseconds: Int64? = nil, until body: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        // Prevents a sum that overflows an Int64.
        let deadline = milliseconds.map { SystemTime.monotonic + min(max($0, 0), SystemTime.longestWait) }
        return wait { value -> sending WaitDecision<Result?> in
            if let result = body(&value) { return .take(result) }
            guard let deadline else { return .sleep(milliseconds: nil) }
            let left = deadline - SystemTime.monotonic
            return left > 0 ? .sleep(milliseconds: left) : .take(nil)
        }
    }

    /// Wakes all threads that wait for the value, so that they check it again. Call it after a change.
    public func wakeAll() {
        monitor.wakeAll()
    }
}

@available(iOS 16, tvOS 16, *)
extension Guarded where Value: ~Copyable {
    /// Waits like ``wait(milliseconds:until:)``, for a `Duration`, rounded up to milliseconds.
    public func wait<Result>(
        timeout: Duration?, until body: (inout sending Value) -> sending Result?
    ) -> sending Result? {
        guard let timeout else { return wait(until: body) }
        let (seconds, attoseconds) = timeout.components
        let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return wait(
            milliseconds: isTooLarge
                ? (seconds < 0 ? 0 : .max) : milliseconds.addingReportingOverflow(rest).partialValue,
            until: body)
    }
}
