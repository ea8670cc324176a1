#if os(Linux)
    /// The reason why a request got no response.
    ///
    /// `description` says what happened. It may contain the host, and the first 200 characters of an invalid address without
    /// user name and password. It never contains the values of header fields or a body, because these may hold secrets.
    public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The kind of failure, for callers that handle kinds differently.
        public enum Cause: String, Hashable, Sendable {
            /// The address is not an `http` or `https` URL, or curl cannot parse it.
            case invalidAddress
            /// The name of a field is empty, or its name or value contains control characters.
            case invalidField
            /// A pinned public key is not `sha256//` followed by base64.
            case invalidPin
            /// The name of the host or of the proxy cannot be resolved, or there is no network.
            case unresolved
            /// Nothing listens at the address, no route leads to it, or the proxy does not connect to it.
            case unreachable
            /// The host has only addresses that ``CurlClient/Options/requiresPublicAddress`` does not allow.
            case addressNotPublic
            /// A time limit of ``CurlClient/Options`` was exceeded.
            case timedOut
            /// The server does not support TLS 1.2 or later, or its certificate or public key is not trusted.
            case untrusted
            /// The response exceeds a size limit.
            case responseTooLong
            /// The peer closed the connection too early, or does not speak HTTP.
            case broken
            /// curl could not be initialized, or no other case fits.
            case other
        }

        public let cause: Cause
        /// The error code of curl, or 0 if curl was not called: https://curl.se/libcurl/c/libcurl-errors.html
        public let code: Int
        /// The message, without the error code.
        public let text: String

        init(_ cause: Cause, code: Int = 0, _ text: String) {
            self.cause = cause
            self.code = code
            self.text = text
        }

        /// Creates the error of a transfer that curl aborted; `text` is the message of curl.
        init(code: Int, _ text: String) {
            self.init(Cause(code: code), code: code, Self.remedy(code: code).map { "\(text): \($0)" } ?? text)
        }

        /// Returns advice on how to fix the problem, for errors where curl only names the problem.
        private static func remedy(code: Int) -> String? {
            switch code {
            case 35: "the server must speak TLS 1.2 or later"
            case 60:
                "the server needs a valid certificate for this host name, from an authority that this system trusts"
            case 77: "the system's certificates are missing (on Debian the package ca-certificates has them)"
            case 90:
                "the server has none of the pinned public keys; if you trust the server, pin its current key"
            default: nil
            }
        }

        public var description: String { code == 0 ? text : "\(text) (curl code \(code))" }
    }

    extension CurlError.Cause {
        /// Maps an error code of curl: https://curl.se/libcurl/c/libcurl-errors.html
        init(code: Int) {
            self =
                switch code {
                case 3: .invalidAddress
                case 5, 6: .unresolved
                case 7, 97: .unreachable
                case 28: .timedOut
                case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .untrusted
                // Code 1 means an unsupported protocol. Here it is always a response without a head, because `CurlClient` rejects
                // addresses of other protocols.
                case 1, 8, 16, 18, 52, 55, 56, 61, 92, 95: .broken
                default: .other
                }
        }
    }
#endif
