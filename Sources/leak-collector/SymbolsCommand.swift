import LeakGzip
import LeakHTTPClient
import LeakCollector

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector symbols`: uploads the names of functions in stripped builds to a collector, and lists and removes them.
/// It runs on the machine that has the build.
struct SymbolsCommand: Equatable {
    enum Action: Equatable {
        case upload(files: [String])
        case list
        case remove(images: [String])
    }

    var action: Action
    var flags: [Setting: String]

    static let path = "/api/v1/symbols"

    func run() throws -> Program.ExitCode {
        let settings = try Program.readSettings(flags)
        guard let address = settings.url else {
            throw SettingError(
                source: Setting.url.variable, problem: "is not set: name the collector with --url")
        }
        guard let token = settings.accessToken, !token.isEmpty else {
            throw SettingError(
                source: Setting.accessToken.variable,
                problem: "is not set: \(address) needs an access token")
        }
        let remote = RemoteCollector(address: address, token: token)
        switch action {
        case .upload(let files):
            var failures = 0
            for file in try files.flatMap({ try SymbolFile.files(at: $0) }) {
                do {
                    try upload(file, to: remote)
                } catch let error as RemoteError {
                    throw error
                } catch {
                    // The upload continues, because the other files may be valid.
                    Output.error("collector: \(error)")
                    failures += 1
                }
            }
            return failures == 0 ? .done : .failed
        case .list:
            let symbols = try SymbolList(json: try remote.send(.get, Self.path))
            for line in symbols.lines { Output.line(line) }
        case .remove(let images):
            for image in images {
                guard let id = ImageID(image) else {
                    throw Command.UsageError(
                        "“\(image)” is not the id of an image; collector symbols list shows the ids")
                }
                _ = try remote.send(.delete, "\(Self.path)/\(id)")
                Output.line("removed the symbols of \(id)")
            }
        }
        return .done
    }

    private func upload(_ file: SymbolFile, to remote: RemoteCollector) throws {
        let isTerminal = isatty(2) == 1
        let tables = try file.tables { done, all in
            if isTerminal {
                Output.error("\(file.path): \(done) of \(all) addresses named", overwrites: true)
            }
        }
        if isTerminal { Output.error("", overwrites: true) }
        for table in tables {
            let compressedBytes = Gzip.deflate(table.bytes)
            let response = try remote.send(.post(compressedBytes), Self.path)
            let outcome = try SymbolUpload(json: response)
            let architectureText = table.architecture.isEmpty ? "" : ", \(table.architecture)"
            Output.line(
                "\(table.name) (\(table.image)\(architectureText)): \(table.sizeText), \((compressedBytes.count + 1_023) >> 10) KiB; "
                    + outcome.sentence)
        }
    }
}

/// The collector that symbols are sent to.
private struct RemoteCollector {
    enum Method {
        case get, delete
        /// A compressed table.
        case post([UInt8])
    }

    let address: String
    let token: String

    /// Sends a request to the collector.
    ///
    /// - Returns: the body of a response with status 200.
    /// - Throws: ``RemoteError`` for another status, or if no response came.
    func send(_ method: Method, _ path: String) throws -> [UInt8] {
        var options = HTTPClient.Options()
        options.totalMilliseconds = 300_000
        options.maxResponseBytes = 16 << 20
        options.userAgent = "collector/\(Program.version)"
        let fields = [HTTPField("Authorization", "Bearer \(token)")]
        let response: HTTPResponse
        do {
            let client = try HTTPClient(options)
            switch method {
            case .get: response = try client.get(address + path, fields: fields)
            case .delete: response = try client.delete(address + path, fields: fields)
            case .post(let body):
                response = try client.post(
                    body, to: address + path,
                    fields: fields + [
                        HTTPField("Content-Type", "application/octet-stream"),
                        HTTPField("Content-Encoding", "gzip"),
                    ])
            }
        } catch {
            throw RemoteError(description: "no response from \(address): \(error)")
        }
        guard response.status == 200 else {
            throw RemoteError(
                description: RemoteCollectorError(
                    address: address, path: SymbolsCommand.path, status: response.status,
                    type: response["content-type"],
                    location: response["location"], body: response.body
                ).description)
        }
        return response.body
    }
}

/// Error of a request to a remote collector.
private struct RemoteError: Error, CustomStringConvertible {
    let description: String
}
