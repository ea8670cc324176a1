/// What a loop waits for at one descriptor.
struct Interest: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let read = Interest(rawValue: 1)
    static let write = Interest(rawValue: 2)
}

/// What happened at one descriptor.
struct Event: Hashable, Sendable {
    /// What the descriptor was added with.
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The connection is gone in both directions.
    let isGone: Bool
}

/// Waits for many descriptors at once, level-triggered: what was not dealt with is reported again.
protocol Poller: AnyObject {
    init() throws(SystemError)
    func add(_ descriptor: Int32, token: UInt64, for interest: Interest) throws(SystemError)
    func change(_ descriptor: Int32, token: UInt64, from former: Interest, to interest: Interest)
    func remove(_ descriptor: Int32, from former: Interest)

    /// Waits until something happens, a signal included.
    ///
    /// - Parameter milliseconds: how long at most; −1 waits for good.
    /// - Returns: how many events ``event(at:)`` has.
    func wait(milliseconds: Int32) -> Int
    func event(at index: Int) -> Event
}

#if canImport(Darwin)
    typealias SystemPoller = Kqueue
#else
    typealias SystemPoller = Epoll
#endif
