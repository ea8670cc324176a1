#if os(Linux)
    internal import LeakHTTPClient

    /// Sends requests to channels. Use it on one thread.
    final class ChannelClient {
        private let http: HTTPClient
        private let mail: MailClient

        /// - Throws: `CurlError` if curl cannot be set up.
        init(allowsPrivateAddresses: Bool) throws {
            var options = HTTPClient.Options()
            // Far below ``ChannelPosition/claimMilliseconds``, and below the time in which a collector stops.
            options.connectMilliseconds = 4_000
            options.totalMilliseconds = 7_000
            options.maxResponseBytes = 64 * 1024
            options.requiresPublicAddress = !allowsPrivateAddresses
            options.usesProxy = allowsPrivateAddresses
            http = try HTTPClient(options)
            mail = try MailClient(options, requiresTLS: !allowsPrivateAddresses)
        }

        func send(_ request: ChannelRequest) -> ChannelSender.Outcome {
            do throws(CurlError) {
                guard let (sender, recipients) = request.mail else {
                    return Self.outcome(
                        of: try http.post(request.body, to: request.url, fields: request.fields))
                }
                let user = request.login.map { login in
                    let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return (name: String(parts[0]), password: parts.count == 2 ? String(parts[1]) : "")
                }
                try mail.send(
                    request.body, from: sender, to: recipients, over: request.url, user: user)
                return .accepted
            } catch {
                return .failed(
                    error.cause == .addressNotPublic
                        ? "\(error.text); set COLLECTOR_NOTIFY_PRIVATE to yes to allow it"
                        : "\(error)".plainLine)
            }
        }

        private static func outcome(of response: HTTPResponse) -> ChannelSender.Outcome {
            guard !(200..<300).contains(response.status) else { return .accepted }
            let text = String(decoding: response.body.prefix(200), as: UTF8.self).plainLine
            let hint =
                switch response.status {
                case 300..<400: ": the address has moved; use the new one"
                case 401, 403, 404, 410: ": the address is not valid any more, or lacks a permission"
                default: ""
                }
            return .failed(
                "status \(response.status)\(hint)\(text.isEmpty ? "" : ": \(text)")",
                retrySeconds: response["Retry-After"].flatMap { Int($0) })
        }
    }
#endif
