import Foundation
import LeakReporter

// The app of `app-plain`, with a reporter.

let reporter = LeakReporter(.init(endpoint: "https://leaks.example.com", key: "key"))
let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: "plain"])
let json = try JSONSerialization.data(withJSONObject: [
    "error": error.localizedDescription, "at": Date().description,
])
FileHandle.standardOutput.write(json)
if CommandLine.argc > 1 { reporter.record(error: error) }
