#if os(Linux)
    /// Why no answer came.
    ///
    /// `description` says what happened and names the host at most; header fields and bodies, where secrets are, stay
    /// out of it.
    public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
        /// What sort of failure it is, for a caller that must branch.
        public enum Cause: String, Hashable, Sendable {
            /// The address is not `http://` or `https://`, or curl cannot read it.
            case invalidAddress
            /// A field's name or value has bytes that would end the line.
            case invalidField
            /// A pin is not `sha256//` and base64.
            case invalidPin
            /// The name of the host or of the proxy is unknown, or there is no network to ask.
            case unresolved
            /// Nothing listens there, or nothing leads there.
            case unreachable
            case timedOut
            /// No TLS of version 1.2 or later, or a certificate or public key that is not to be trusted.
            case untrusted
            /// The answer is longer than it may be.
            case answerTooLong
            /// The peer closed the connection too soon, or does not speak HTTP.
            case broken
            /// curl could not be set up, or a cause that none of the others covers.
            case other
        }

        public let cause: Cause
        /// curl's number, 0 where curl was not asked: https://curl.se/libcurl/c/libcurl-errors.html
        public let code: Int
        public let text: String

        init(_ cause: Cause, code: Int = 0, _ text: String) {
            self.cause = cause
            self.code = code
            self.text = text
        }

        /// Of a transfer that curl gave up; `text` is what it says itself.
        init(code: Int, _ text: String) {
            self.init(Cause(code: code), code: code, Self.remedy(code: code).map { "\(text): \($0)" } ?? text)
        }

        /// What to do, where curl only says what is wrong.
        private static func remedy(code: Int) -> String? {
            switch code {
            case 35: "the server must speak TLS 1.2 or later"
            case 60:
                "the server needs a certificate for this host name, in date, of an authority that this system trusts"
            case 77: "the system's certificates are missing (on Debian the package ca-certificates has them)"
            case 90:
                "the server has none of the public keys that are pinned; pin the key that it has, if it is its own"
            default: nil
            }
        }

        public var description: String { code == 0 ? text : "\(text) (curl code \(code))" }
    }

    extension CurlError.Cause {
        /// Sorts curl's numbers: https://curl.se/libcurl/c/libcurl-errors.html
        init(code: Int) {
            self =
                switch code {
                case 3: .invalidAddress
                case 5, 6: .unresolved
                case 7, 97: .unreachable
                case 28: .timedOut
                case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .untrusted
                // 1 is an answer without a head: addresses of other protocols do not get as far as curl.
                case 1, 8, 16, 18, 52, 55, 56, 61, 92, 95: .broken
                default: .other
                }
        }
    }
#endif
