import LeakCollector
import LeakHTTPClient
import LeakStatistics

/// `collector check`: checks before a release whether a version leaks more than the version before it.
struct CheckCommand: Equatable {
    enum Format: String {
        case text, json, github, gitlab, junit, markdown
    }

    var checkRequest: ReleaseCheckRequest
    var format: Format
    var flags: [Setting: String]

    /// Timeout of the request. A query over a large database takes a second, and a server that starts takes a few
    /// seconds.
    private static let timeoutMilliseconds = 60_000
    /// Maximum bytes of the response, enough for 400 leaks with all their names.
    private static let maxResponseBytes = 64 << 20

    func run() -> Program.ExitCode {
        do {
            let settings = try Program.readSettings(flags)
            let readsDatabase = flags[.data] != nil || flags[.databaseURL] != nil
            let json =
                if let address = settings.url, !readsDatabase {
                    try requestFromCollector(address, settings)
                } else {
                    try readFromDatabase(settings)
                }
            let result = try ReleaseCheckResult(json: json)
            guard result.isAbout(checkRequest) else {
                throw ReleaseCheckResult.Unreadable(
                    description: "the response is about another app or version; check the address")
            }
            printResult(result, json, address: settings.url)
            switch result.verdict {
            case .passed: return .done
            case .failed: return .failed
            case .cannotTell: return .cannotTell
            }
        } catch let error as RemoteCollectorError where error.isUnreachable {
            Output.error("collector: \(error)")
            return .unreachable
        } catch let error as NoResponse {
            Output.error("collector: \(error)")
            return .unreachable
        } catch let error as ReleaseCheckResult.Unreadable {
            Output.error("collector: \(error)")
            return .unreachable
        } catch {
            Output.error("collector: \(error)")
            return .misuse
        }
    }

    private func readFromDatabase(_ settings: Settings) throws -> [UInt8] {
        try checkRequest.responseJSON(
            from: Program.openStore(settings, isServer: false), publicFolder: Program.publicFolder(settings),
            now: WallClock.milliseconds())
    }

    private func requestFromCollector(_ address: String, _ settings: Settings) throws -> [UInt8] {
        guard let token = settings.accessToken, !token.isEmpty else {
            throw SettingError(
                source: Setting.accessToken.variable,
                problem: "is not set: \(address) needs an access token")
        }
        var options = HTTPClient.Options()
        options.totalMilliseconds = Self.timeoutMilliseconds
        options.maxResponseBytes = Self.maxResponseBytes
        options.userAgent = "collector/\(Program.version)"
        let response: HTTPResponse
        do {
            response = try HTTPClient(options).get(
                address + checkRequest.path, fields: [HTTPField("Authorization", "Bearer \(token)")])
        } catch {
            throw NoResponse(address: address, cause: error)
        }
        guard response.status == 200 else {
            throw RemoteCollectorError(
                address: address, status: response.status, type: response["content-type"],
                location: response["location"],
                body: response.body)
        }
        return response.body
    }

    private struct NoResponse: Error, CustomStringConvertible {
        let address: String
        let cause: HTTPClient.Failure

        var description: String { "no response from \(address): \(cause)" }
    }

    private func printResult(_ result: ReleaseCheckResult, _ json: [UInt8], address: String?) {
        switch format {
        case .text: Output.line(result.text(address: address))
        case .json: Output.line(String(decoding: json, as: UTF8.self))
        case .github:
            Output.line(result.workflowCommands(address: address))
            guard let file = ProcessEnvironment.stepSummaryPath else { return }
            if !Output.append(result.markdown(address: address), toFile: file) {
                Output.error("collector: cannot write \(file), which GITHUB_STEP_SUMMARY names")
            }
        case .gitlab: Output.line(result.codeQuality(address: address))
        case .junit: Output.line(result.junit(address: address))
        case .markdown: Output.line(result.markdown(address: address))
        }
    }
}
