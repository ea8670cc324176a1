#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Tells whether a thread is inside an object already: a signal's handler that calls what it has interrupted.
///
/// The visits of a thread are a chain on its own stack. An error-checking lock would not do: between taking the lock
/// and noting its owner there is a moment in which a handler waits for ever.
@safe
struct Visit {
    private let owner: UnsafeRawPointer
    private let outer: UnsafeMutablePointer<Visit>?
    /// How often a handler wanted to come in meanwhile.
    private var refusals = 0

    /// Made before the first handler needs it: making it is no work for a handler. `nil` in a process that has used up its
    /// keys: then no handler may call what it has interrupted, and all else goes on.
    private static let key = ThreadKey.make()

    static func prepare() { _ = key }

    /// Runs `body`, unless this thread is inside `owner` already.
    ///
    /// - Parameter refused: told, after the visit, how many visits were refused on this thread during it.
    /// - Returns: `nil` when it is.
    static func to<Result>(
        _ owner: AnyObject, refused: (Int) -> Void, _ body: () -> Result
    ) -> Result? {
        let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
        let outermost = unsafe current
        var next = unsafe outermost
        while let visit = unsafe next {
            if unsafe visit.pointee.owner == address {
                unsafe refuse(visit)
                return nil
            }
            unsafe next = visit.pointee.outer
        }
        var visit = unsafe Visit(owner: address, outer: outermost)
        let result = mark(&visit, body)
        // No handler touches it any more.
        if visit.refusals > 0 { refused(visit.refusals) }
        return result
    }

    /// Counts one more; handlers that interrupt the addition are counted in a visit of its own, and added then.
    private static func refuse(_ visit: UnsafeMutablePointer<Visit>) {
        var more = 1
        while more > 0 {
            var addition = unsafe Visit(owner: visit.pointee.owner, outer: current)
            mark(&addition) { unsafe visit.pointee.refusals += more }
            more = addition.refusals
        }
    }

    private static func mark<Result>(_ visit: inout Visit, _ body: () -> Result) -> Result {
        unsafe withUnsafeMutablePointer(to: &visit) { visit in
            guard let key else { return body() }
            unsafe pthread_setspecific(key, visit)
            defer { unsafe pthread_setspecific(key, visit.pointee.outer) }
            return body()
        }
    }

    private static var current: UnsafeMutablePointer<Visit>? {
        guard let key else { return nil }
        return unsafe pthread_getspecific(key)?.assumingMemoryBound(to: Visit.self)
    }
}
