/// What goes wrong with one connection.
public struct Fault: Hashable, Sendable {
    public enum Ending: Hashable, Sendable, CaseIterable {
        case close
        case reset
    }

    /// Ends the connection on both sides as soon as that many bytes have passed; with 0, as soon as the first has come.
    public struct Cut: Hashable, Sendable {
        public var afterBytes: Int
        public var ending: Ending

        public init(afterBytes: Int, _ ending: Ending) {
            self.afterBytes = afterBytes
            self.ending = ending
        }
    }

    /// What goes wrong in one direction.
    public struct Direction: Hashable, Sendable {
        public var cut: Cut?
        /// Before the first byte is passed on.
        public var delayMilliseconds: Int64 = 0
        /// One byte at a time, with that pause after each; `nil` passes on what there is.
        public var bytePauseMilliseconds: Int64?

        public init(cut: Cut? = nil, delayMilliseconds: Int64 = 0, bytePauseMilliseconds: Int64? = nil) {
            self.cut = cut
            self.delayMilliseconds = delayMilliseconds
            self.bytePauseMilliseconds = bytePauseMilliseconds
        }
    }

    /// From the client.
    public var request: Direction
    /// From the server. Cut after 0 bytes, the server has done what it was asked and the client hears nothing of it.
    public var answer: Direction

    public init(request: Direction = Direction(), answer: Direction = Direction()) {
        self.request = request
        self.answer = answer
    }

    public static let none = Fault()
}
