internal import LeakGrammar
internal import LeakMessage

/// Error of a request to a remote collector: one sentence with the reason and the remedy.
public struct RemoteCollectorError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    /// `true` if no collector responded, or if the collector cannot answer now; `false` if the request has to be changed.
    public let isUnreachable: Bool

    /// Creates the error for a response that is not 200.
    ///
    /// - Parameters:
    ///   - address: address of the collector.
    ///   - path: path of the request.
    ///   - type: the response's `Content-Type`.
    ///   - location: the response's `Location`, if it redirects.
    public init(
        address: String, path: String = "/api/v1/check", status: Int, type: String?, location: String?,
        body: [UInt8]
    ) {
        let isProblem = type?.lowercased().hasPrefix("application/problem+json") ?? false
        let detail = isProblem ? Self.detail(body) : nil
        let detailSuffix = detail.map { ": \($0)" } ?? ""
        let sentence =
            switch status {
            case 300..<400:
                "\(address) redirects\(location.map { " to \($0)" } ?? ""): give the collector's own address with --url"
            case 401, 403:
                "\(address) rejects the access token (\(status))\(detailSuffix); create another with collector token create, and "
                    + "set COLLECTOR_ACCESS_TOKEN to it"
            case 400 where detail != nil, 404 where detail != nil, 413 where detail != nil,
                507 where detail != nil:
                detail ?? ""
            case 404: "\(address) has no \(path): it is not a collector, or an older version of it"
            case 500...: "\(address) cannot answer now (\(status))\(detailSuffix); try again, and see its log"
            default: "\(address) answers \(status)\(detailSuffix)"
            }
        description = TerminalText.text(sentence)
        isUnreachable =
            switch status {
            case 400, 401, 403, 413: false
            case 404, 507: detail == nil
            default: true
            }
    }

    /// Returns the detail of a problem of RFC 9457; `nil` for another body.
    private static func detail(_ body: [UInt8]) -> String? {
        guard UTF8Validator.firstInvalidByte(in: body) == nil else { return nil }
        let detail = try? JSONScanner.scan(body) { (scanner) throws(JSONError) -> String? in
            guard try scanner.enterObject() else { return nil }
            repeat {
                let name = try scanner.name()
                if scanner.matches(name, "detail") { return scanner.text(of: try scanner.string()) }
                try scanner.skip()
            } while try scanner.hasAnotherElement(in: .object)
            return nil
        }
        return detail ?? nil
    }
}
