#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tells whether code runs on the thread that an object calls its own.
///
/// The mark is the object's address, so whoever asks must hold the object: an address is not given out twice
/// while its first owner lives. Cheaper than a lock by far: one look into the thread's own storage.
public enum ThreadMark {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "the system has no thread-local storage left (errno \(code))")
        return key
    }()

    /// Marks the current thread as `owner`'s, until it ends or is marked anew.
    public static func set(_ owner: AnyObject) {
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(owner).toOpaque())
    }

    /// Whether the current thread was marked as `owner`'s.
    public static func isSet(by owner: AnyObject) -> Bool {
        unsafe pthread_getspecific(key) == Unmanaged.passUnretained(owner).toOpaque()
    }
}
