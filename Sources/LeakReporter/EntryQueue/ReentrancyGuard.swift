#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

internal import LeakPlatform

/// A record that a thread is inside a call of an object. It detects reentrant calls: a signal handler may call the object that
/// it has interrupted.
///
/// The records of a thread form a chain on its stack. An error-checking lock would not work: a handler that runs after the lock
/// is acquired and before its owner is recorded would wait forever.
@safe
struct ReentrancyGuard {
    private let owner: UnsafeRawPointer
    private let outer: UnsafeMutablePointer<ReentrancyGuard>?
    /// The number of calls of handlers that were rejected while the thread was inside.
    private var rejectionCount = 0

    /// The key under which each thread stores the innermost record of its chain. ``prepare()`` creates it, because a handler must
    /// not. `nil` if the process has used up its keys: reentrant calls are not detected then, and such a call of a handler
    /// deadlocks.
    private static let key = ThreadKey.make()

    static func prepare() { _ = key }

    /// Runs `body`, unless this thread is already inside a call of `owner`.
    ///
    /// - Parameter onRejections: called after `body` with the number of calls that were rejected on this thread during it, if there
    ///   were any.
    /// - Returns: `nil` if the thread is already inside.
    static func enter<Result>(
        _ owner: AnyObject, onRejections: (Int) -> Void, _ body: () -> Result
    ) -> Result? {
        let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        let outermost = unsafe current
        var next = unsafe outermost
        while let entry = unsafe next {
            if unsafe entry.pointee.owner == address {
                unsafe reject(entry)
                return nil
            }
            unsafe next = entry.pointee.outer
        }
        var entry = unsafe ReentrancyGuard(owner: address, outer: outermost)
        let result = withRecord(&entry, body)
        // No handler accesses the record any more.
        if entry.rejectionCount > 0 { onRejections(entry.rejectionCount) }
        return result
    }

    /// Counts a rejection. A signal handler may interrupt the increment. So the increment runs inside a second record, and the
    /// rejections that the second record counts are added afterwards.
    private static func reject(_ entry: UnsafeMutablePointer<ReentrancyGuard>) {
        var more = 1
        while more > 0 {
            var incrementGuard = unsafe ReentrancyGuard(owner: entry.pointee.owner, outer: current)
            withRecord(&incrementGuard) { unsafe entry.pointee.rejectionCount += more }
            more = incrementGuard.rejectionCount
        }
    }

    private static func withRecord<Result>(_ entry: inout ReentrancyGuard, _ body: () -> Result) -> Result {
        unsafe withUnsafeMutablePointer(to: &entry) { entry in
            guard let key else { return body() }
            unsafe pthread_setspecific(key, entry)
            defer { unsafe pthread_setspecific(key, entry.pointee.outer) }
            return body()
        }
    }

    private static var current: UnsafeMutablePointer<ReentrancyGuard>? {
        guard let key else { return nil }
        return unsafe pthread_getspecific(key)?.assumingMemoryBound(to: ReentrancyGuard.self)
    }
}
