import HTTPClient
import LeakCollector

/// `collector health`: whether the collector of these settings answers, for container engines and scripts.
enum Health {
    /// Engines give up after a few seconds; a collector that needs one is not well.
    static let patienceMilliseconds = 2_000

    static func check(_ settings: Settings) -> Program.ExitCode {
        let address = "http://\(settings.reachableHost):\(settings.port)/readyz"
        do {
            var options = CurlClient.Options()
            options.connectMilliseconds = patienceMilliseconds
            options.totalMilliseconds = patienceMilliseconds
            // The collector is on this machine: no proxy stands between.
            options.usesProxy = false
            let answer = try CurlClient(options).get(address)
            guard answer.status == 200 else {
                Output.error("collector: \(address) answers \(answer.status); the collector's log says why")
                return .failed
            }
            Output.line("ok")
            return .done
        } catch {
            Output.error("collector: nothing answers at \(address): \(error)")
            return .failed
        }
    }
}
