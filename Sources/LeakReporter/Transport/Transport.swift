/// Carries one body to the collector. It decides nothing: what an answer means is up to ``Delivery``.
///
/// Made and used on the reporter's own thread, where it may block up to its own time limits.
protocol Transport: AnyObject {
    func post(_ post: Post) -> Reply
}

/// One request to the collector.
struct Post: Hashable, Sendable {
    var address: String
    var fields: [Field]
    var body: [UInt8]

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }
}

/// What came back.
enum Reply: Hashable, Sendable {
    case answer(Answer)
    /// None came, for the reason given in words. The collector may have taken the body all the same.
    case none(String)

    struct Answer: Hashable, Sendable {
        var status: Int
        var retryAfter: String?
        var location: String?
        var contentType: String?
        var body: [UInt8] = []
    }
}

/// Bounds that every transport keeps.
enum TransportLimits {
    static let connectMilliseconds = 10_000
    /// A full batch of 256 KiB takes 21 s at 100 kbit/s.
    static let totalMilliseconds = 60_000
    /// The collector's longest answer names 64 refused reports at about 100 bytes each.
    static let answerBytes = 64 * 1024
    static let userAgent = "LeakReporter/1"
}
