/// What came back for a ``Post``.
package enum Reply: Hashable, Sendable {
    case answer(Answer)
    /// None came, for the reason given in words. The collector may have taken the body all the same.
    case none(String)

    package struct Answer: Hashable, Sendable {
        package var status: Int
        package var retryAfter: String?
        package var location: String?
        package var contentType: String?
        /// At most ``TransportLimits/answerBytes``.
        package var body: [UInt8]

        /// True if the transport may have sent the request twice by itself, so that an earlier answer is unknown.
        package var mayBeRepeated = false

        package init(
            status: Int, retryAfter: String? = nil, location: String? = nil, contentType: String? = nil,
            body: [UInt8] = []
        ) {
            self.status = status
            self.retryAfter = retryAfter
            self.location = location
            self.contentType = contentType
            self.body = body
        }
    }
}
