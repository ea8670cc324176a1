#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Tells whether a thread is already inside an object: a signal handler may call the object that it has interrupted.
///
/// The entries of a thread form a chain on its own stack. An error-checking lock would not work: between taking the lock and
/// recording its owner there is a moment in which a handler waits forever.
@safe
struct ReentrancyGuard {
    private let owner: UnsafeRawPointer
    private let outer: UnsafeMutablePointer<ReentrancyGuard>?
    /// The number of handlers that were rejected while the thread was inside.
    private var rejections = 0

    /// Created before the first handler needs it: a handler must not create it. `nil` in a process that has used up its keys: then
    /// no handler may call the object that it has interrupted, and everything else works.
    private static let key = ThreadKey.make()

    static func prepare() { _ = key }

    /// Runs `body`, unless this thread is inside `owner` already.
    ///
    /// - Parameter refused: called after `body` with the number of entries that were rejected on this thread during it.
    /// - Returns: `nil` if the thread is already inside.
    static func enter<Result>(
        _ owner: AnyObject, refused: (Int) -> Void, _ body: () -> Result
    ) -> Result? {
        let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        let outermost = unsafe current
        var next = unsafe outermost
        while let entry = unsafe next {
            if unsafe entry.pointee.owner == address {
                unsafe refuse(entry)
                return nil
            }
            unsafe next = entry.pointee.outer
        }
        var entry = unsafe ReentrancyGuard(owner: address, outer: outermost)
        let result = mark(&entry, body)
        // No handler accesses it any more.
        if entry.rejections > 0 { refused(entry.rejections) }
        return result
    }

    /// Counts one more rejection. Handlers that interrupt the addition are counted in an entry of its own, and added then.
    private static func refuse(_ entry: UnsafeMutablePointer<ReentrancyGuard>) {
        var more = 1
        while more > 0 {
            var addition = unsafe ReentrancyGuard(owner: entry.pointee.owner, outer: current)
            mark(&addition) { unsafe entry.pointee.rejections += more }
            more = addition.rejections
        }
    }

    private static func mark<Result>(_ entry: inout ReentrancyGuard, _ body: () -> Result) -> Result {
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
