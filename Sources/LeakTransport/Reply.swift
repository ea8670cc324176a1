/// The result of a ``Post``.
package enum Reply: Hashable, Sendable {
    case answer(Answer)
    /// No response arrived, for the reason given in words. The collector may have received the body nevertheless.
    case none(String)

    package struct Answer: Hashable, Sendable {
        package var status: Int
        package var retryAfter: String?
        package var location: String?
        package var contentType: String?
        /// The body, at most ``TransportLimits/answerBytes`` bytes.
        package var body: [UInt8]

        /// `true` if the transport may have sent the request twice by itself, so that the response to the first one is unknown.
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
