internal import LeakGrammar
internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The release check: whether a version has new or regressed leaks.
struct ReleaseCheckResource: JSONResource {
    static let jsonPath = "/check"

    let checkRequest: ReleaseCheckRequest

    init(_ request: borrowing Request, _: Parameters) throws(Problem) {
        guard let app = request.queriedApp, let version = request.query("version"), !version.isEmpty else {
            throw Problem(
                .badRequest,
                "missing parameter: app or version; send both, as in ?app=com.acme.shop&version=5.2.0")
        }
        let baseline = request.query("baseline").flatMap { $0.isEmpty ? nil : $0 }
        checkRequest = ReleaseCheckRequest(app: app, version: version, baseline: baseline)
    }

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        do {
            writer.fields(of: try checkRequest.check(view.reader, now: view.now))
        } catch let nothing as UnknownVersionError {
            throw Problem(.notFound, nothing.description)
        }
    }
}

extension JSONWriter {
    mutating func fields(of check: ReleaseCheck) {
        field("app", check.app)
        field("version", check.version)
        field("baseline", check.baseline)
        field("passes", check.passes)
        field("new_count", check.newCount)
        field("regressed_count", check.regressedCount)
        field("set_aside", check.setAside)
        field("leaks", check.leaks)
        field("reports", check.reports)
        array("new") { writer in
            for row in check.new { writer.object { $0.fields(of: row) } }
        }
        array("regressed") { writer in
            for row in check.regressed { writer.object { $0.fields(of: row) } }
        }
    }
}

/// Error of a request to a remote collector: one sentence with the reason and the remedy.
public struct RemoteCollectorError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    /// Creates the error for a response that is not 200.
    ///
    /// - Parameters:
    ///   - address: address of the collector.
    ///   - path: path of the request.
    ///   - type: the answer's `Content-Type`.
    ///   - location: the answer's `Location`, if it redirects.
    public init(
        address: String, path: String = "/api/v1/check", status: Int, type: String?, location: String?,
        body: [UInt8]
    ) {
        let isProblem = type?.lowercased().hasPrefix("application/problem+json") ?? false
        let detail = isProblem ? Self.detail(body) : nil
        let said = detail.map { ": \($0)" } ?? ""
        let sentence =
            switch status {
            case 300..<400:
                "\(address) redirects\(location.map { " to \($0)" } ?? ""): give the collector's own address with --url"
            case 401, 403:
                "\(address) rejects the access token (\(status))\(said); create another with collector token create, and "
                    + "set COLLECTOR_ACCESS_TOKEN to it"
            case 400 where detail != nil, 404 where detail != nil, 413 where detail != nil,
                507 where detail != nil:
                detail ?? ""
            case 404: "\(address) has no \(path): it is not a collector, or an older version of it"
            case 500...: "\(address) cannot answer now (\(status))\(said); try again, and see its log"
            default: "\(address) answers \(status)\(said)"
            }
        description = TerminalText.text(sentence)
    }

    /// Returns the detail of a problem of RFC 9457; `nil` for another body.
    private static func detail(_ body: [UInt8]) -> String? {
        guard UTF8Validity.firstInvalidByte(in: body) == nil else { return nil }
        let detail = try? JSONScanner.scan(body) { (scanner) throws(JSONError) -> String? in
            guard try scanner.enterObject() else { return nil }
            repeat {
                let name = try scanner.name()
                if scanner.matches(name, "detail") { return scanner.text(of: try scanner.string()) }
                try scanner.skip()
            } while try scanner.another(in: .object)
            return nil
        }
        return detail ?? nil
    }
}
