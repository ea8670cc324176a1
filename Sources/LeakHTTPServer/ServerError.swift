/// The reason why a server cannot listen. The description is one line: the problem and its solution.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another socket already listens on the port.
    case portInUse(host: String, port: Int)
    /// The user may not listen on this port: ports below 1024 need administrator rights.
    case portNotAllowed(port: Int)
    /// The port is not in the range from 0 to 65535.
    case invalidPort(Int)
    /// The host is neither a name that can be resolved nor an IP address.
    case unknownHost(String)
    /// The host is not one of this machine's addresses.
    case foreignHost(String)
    /// Any other error, with the message of the system.
    case system(message: String)

    init(_ error: SystemError, host: String, port: Int) {
        switch error {
        case .addressInUse: self = .portInUse(host: host, port: port)
        case .accessDenied: self = .portNotAllowed(port: port)
        case .addressUnavailable, .familyUnsupported: self = .foreignHost(host)
        default: self = .system(message: error.message)
        }
    }

    /// A message of one line for the operator: the problem and its solution.
    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: stop what listens there or choose another port"
        case .portNotAllowed(let port):
            "port \(port) is not allowed for this user: choose one from 1024 to 65535"
        case .invalidPort(let port):
            "\(port) is not a port: choose one from 1 to 65535, or 0 for any free one"
        case .unknownHost(let host):
            "host \"\(host)\" is not known: use an address of this machine, such as 127.0.0.1"
        case .foreignHost(let host):
            "\(host) is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all its networks"
        case .system(let message):
            "cannot listen: \(message)"
        }
    }
}
