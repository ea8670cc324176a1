import LeakHTTPClient
import LeakCollector

/// `collector health`: checks that the collector answers, for container engines and scripts.
///
/// It sends its request to `--host` and `--port`, else to the address that a server wrote into the data folder, else
/// to the address from the environment. The server writes its address because the health check of a container image
/// does not see the server's flags.
enum HealthCommand {
    /// Timeout of the request. Container engines give up after a few seconds, and a healthy collector needs less than
    /// one.
    static let timeoutMilliseconds = 2_000

    static func run(_ flags: [Setting: String]) throws -> Program.ExitCode {
        // Other settings are not read, because the file of a secret may be gone after the server has read it.
        let settings = try Settings(
            flags: flags, environment: ProcessEnvironment.variables, only: [.host, .port, .data])
        let namesAddress = flags[.host] != nil || flags[.port] != nil
        let writtenAddress = namesAddress ? nil : AddressFile(folder: settings.dataFolder).read()
        let address = (writtenAddress ?? "http://\(settings.reachableHost):\(settings.port)") + "/readyz"
        do {
            var options = HTTPClient.Options()
            options.connectMilliseconds = timeoutMilliseconds
            options.totalMilliseconds = timeoutMilliseconds
            // The collector is on this machine, so no proxy is used.
            options.usesProxy = false
            let response = try HTTPClient(options).get(address)
            guard response.status == 200 else {
                Output.error("collector: \(address) answers \(response.status); see the collector's log")
                return .failed
            }
            Output.line("ok")
            return .done
        } catch {
            Output.error("collector: no response from \(address): \(error)")
            return .failed
        }
    }
}
