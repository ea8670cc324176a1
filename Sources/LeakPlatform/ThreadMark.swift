#if canImport(Darwin)
    package import Darwin
#else
    package import Glibc
#endif

/// Marks of threads, with which an object checks whether code runs on its own thread.
///
/// The mark is the object's address, so the caller must retain the object: an address may be reused after its object is freed.
/// A check is much cheaper than a lock: one read of thread-local storage.
public enum ThreadMark {
    /// The key of thread-local storage for the mark; `nil` if the process has used up its keys (512 on Apple's systems, 1,024
    /// on Linux). Then ``threads`` is used.
    private static let key = ThreadKey.make()
    /// The thread of each owner, by the owner's address.
    private static let threads = Guarded<[UInt: pthread_t]>([:])

    /// Marks the current thread as that of `owner`, until the thread ends or is marked again.
    public static func set(_ owner: AnyObject) {
        guard let key else {
            let thread = pthread_self()
            return threads.with { threads in
                threads = threads.filter { pthread_equal($1, thread) == 0 }
                threads[address(of: owner)] = thread
            }
        }
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Returns `true` if the current thread is marked as that of `owner`.
    public static func isSet(by owner: AnyObject) -> Bool {
        guard let key else {
            let thread = threads.with { $0[address(of: owner)] }
            return thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
        }
        return unsafe pthread_getspecific(key) == Unmanaged.passUnretained(owner).toOpaque()
    }

    private static func address(of owner: AnyObject) -> UInt {
        unsafe UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
    }
}

/// A key of thread-local storage.
package enum ThreadKey {
    /// - Returns: `nil` when the process has used up its keys.
    package static func make() -> pthread_key_t? {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }
}
