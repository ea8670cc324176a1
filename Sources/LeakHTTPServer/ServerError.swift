/// Why a server cannot listen. The description is one line: what is wrong and what to do.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Somebody else listens there.
    case portInUse(host: String, port: Int)
    /// Ports below 1024 belong to the administrator.
    case portNotAllowed(port: Int)
    /// Not 0 to 65535.
    case invalidPort(Int)
    /// No name that can be looked up, and no number.
    case unknownHost(String)
    /// The host is not one of this machine's addresses.
    case foreignHost(String)
    /// What the system said.
    case system(String)

    init(_ error: SystemError, host: String, port: Int) {
        switch error {
        case .addressInUse: self = .portInUse(host: host, port: port)
        case .accessDenied: self = .portNotAllowed(port: port)
        case .addressUnavailable, .familyUnsupported: self = .foreignHost(host)
        default: self = .system(error.message)
        }
    }

    /// One line for the operator: what is wrong and what to do.
    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "port \(port) on \(host) is in use: stop what listens there or choose another port"
        case .portNotAllowed(let port):
            "port \(port) is not allowed for this user: choose one from 1024 on"
        case .invalidPort(let port):
            "\(port) is no port: choose one from 1 to 65535, or 0 for any free one"
        case .unknownHost(let host):
            "host \"\(host)\" is not known: use an address of this machine, such as 127.0.0.1"
        case .foreignHost(let host):
            "\(host) is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all its networks"
        case .system(let message):
            "cannot listen: \(message)"
        }
    }
}
