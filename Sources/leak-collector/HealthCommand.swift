import LeakHTTPClient
import LeakCollector

/// `collector health`: whether the collector answers, for container engines and scripts.
///
/// It asks at `--host` and `--port`, else at the address that a server wrote into the data folder, else at the address of the
/// environment: a health check that is part of an image does not see the flags that the server was started with.
enum HealthCommand {
    /// Engines give up after a few seconds; a collector that needs one is not well.
    static let timeoutMilliseconds = 2_000

    static func check(_ flags: [Setting: String]) throws -> Program.ExitCode {
        // Nothing else: a secret's file may be gone that the server has read.
        let settings = try Settings(
            flags: flags, environment: ProcessEnvironment.variables, only: [.host, .port, .data])
        let isNamed = flags[.host] != nil || flags[.port] != nil
        let written = isNamed ? nil : AddressFile(folder: settings.dataFolder).read()
        let address = (written ?? "http://\(settings.reachableHost):\(settings.port)") + "/readyz"
        do {
            var options = HTTPClient.Options()
            options.connectMilliseconds = timeoutMilliseconds
            options.totalMilliseconds = timeoutMilliseconds
            // The collector is on this machine: no proxy stands between.
            options.usesProxy = false
            let answer = try HTTPClient(options).get(address)
            guard answer.status == 200 else {
                Output.error("collector: \(address) answers \(answer.status); see the collector's log")
                return .failed
            }
            Output.line("ok")
            return .done
        } catch {
            Output.error("collector: no answer from \(address): \(error)")
            return .failed
        }
    }
}
