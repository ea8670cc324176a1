/// Why a server could not be started: one line that says what is wrong and what to do.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case addressInUse, notPermitted, unknownHost, other
    }

    public let reason: Reason
    public let description: String

    public init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    public var isAddressInUse: Bool { reason == .addressInUse }
}
